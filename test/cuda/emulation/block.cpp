// Fibers, barriers and collectives of blocks (block.h).
#include "block.h"

#include <sys/mman.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

thread_local uint3 threadIdx, blockIdx;
thread_local dim3 blockDim, gridDim;

namespace emulation
{

namespace
{

enum { WARP = 32, STACK = 192 << 10, GUARD = 4096, BLOCKS = 3 };

enum State { READY, AT_WARP, AT_BLOCK, AT_GRID, DONE };
const char* const state_name[] = {"runs", "waits for lanes", "waits for its block",
                                  "waits for the grid", "has ended"};

struct Fiber {
    jmp_buf at;
    ucontext_t begin;
    State state;
    Place place;
    // What it brings to a collective and takes from it.
    unsigned mask;
    Collective kind;
    uint64_t value, result;
    int from;
};

// ---- the order

struct Order {
    int kind; // 0 forward, 1 reverse, 2 drawn
    uint64_t seed;
    std::vector<int> list;
    Order() : kind(0), seed(1)
    {
        const char* text = getenv("COND_EMULATED_ORDER");
        if (!text || strcmp(text, "forward") == 0)
            return;
        kind = strcmp(text, "reverse") == 0 ? 1 : 2;
        seed += strtoull(text, NULL, 10);
    }
    const int* next(int n)
    {
        list.resize((size_t)n);
        std::iota(list.begin(), list.end(), 0);
        for (int i = n - 1; i > 0 && kind == 2; i--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            std::swap(list[(size_t)i], list[(size_t)((seed >> 33) % (uint64_t)(i + 1))]);
        }
        for (int i = 0; i < n / 2 && kind == 1; i++)
            std::swap(list[(size_t)i], list[(size_t)(n - 1 - i)]);
        return list.data();
    }
};

// ---- a block, on a thread of the host that it keeps, and with it its shared memory

struct Block {
    std::vector<std::unique_ptr<Fiber>> fiber;
    jmp_buf scheduler;
    Fiber* now;
    const Body* body;
    int n, cooperative, waits; // waits: for the grid
    Place at_grid;
    Order warps, lanes;
    // From the host's thread and back.
    std::thread thread;
    std::mutex mutex;
    std::condition_variable changed;
    int running, ends;
    std::function<void()> work;

    Block() : now(NULL), body(NULL), n(0), cooperative(0), waits(0), running(0), ends(0)
    {
        thread = std::thread([this] { serve(); });
    }
    ~Block()
    {
        {
            std::lock_guard<std::mutex> lock(mutex);
            ends = 1;
        }
        changed.notify_all();
        thread.join();
    }
    void serve();
    void go_on();
    void wait_for_host();
    void run_block(const Body& own, int index, dim3 grid, dim3 block, int together);
    void release(State state);
    void run_warp(int warp);
    void add_fiber();
    int check();
};

thread_local Block* own = NULL;

__attribute__((noinline)) void hop(jmp_buf& from, jmp_buf& to)
{
    if (!_setjmp(from))
        _longjmp(to, 1);
}

// Begins a fiber, or goes on with it, until it hops back.
__attribute__((noinline)) void enter(Fiber* f, int begun, jmp_buf& scheduler)
{
    if (_setjmp(scheduler))
        return;
    if (begun)
        _longjmp(f->at, 1);
    setcontext(&f->begin);
}

void serve_fiber()
{
    for (;;) {
        (*own->body)();
        own->now->state = DONE;
        hop(own->now->at, own->scheduler);
    }
}

void Block::add_fiber()
{
    std::unique_ptr<Fiber> f(new Fiber());
    char* stack = (char*)mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, GUARD, PROT_NONE) || getcontext(&f->begin))
        fail("no memory for the stack of a thread");
    f->begin.uc_stack.ss_sp = stack;
    f->begin.uc_stack.ss_size = STACK;
    f->begin.uc_link = NULL;
    makecontext(&f->begin, serve_fiber, 0);
    f->state = DONE;
    f->place.file = NULL; // not begun
    fiber.push_back(std::move(f));
}

void Block::run_warp(int warp)
{
    int first = WARP * warp, count = n - first < WARP ? n - first : WARP, any = 1;
    while (any) {
        const int* order = lanes.next(count);
        any = 0;
        for (int k = 0; k < count; k++) {
            Fiber* f = fiber[(size_t)(first + order[k])].get();
            if (f->state != READY)
                continue;
            any = 1;
            now = f;
            threadIdx = {(unsigned)(first + order[k]), 0, 0};
            int begun = f->place.file != NULL;
            f->place.file = "";
            enter(f, begun, scheduler);
        }
    }
}

void Block::release(State state)
{
    for (int i = 0; i < n; i++)
        if (fiber[(size_t)i]->state == state)
            fiber[(size_t)i]->state = READY;
}

// The state that all threads are in; fails where they differ.
int Block::check()
{
    const Fiber* a = fiber[0].get();
    for (int i = 0; i < n; i++) {
        const Fiber* f = fiber[(size_t)i].get();
        if (f->state == AT_WARP)
            fail("block %u, thread %d: the collective at %s:%d names the lanes %08x, not all of "
                 "which come",
                 blockIdx.x, i, f->place.file, f->place.line, f->mask);
        int same = f->state == a->state &&
                   (f->state == DONE ||
                    (f->place.line == a->place.line && strcmp(f->place.file, a->place.file) == 0));
        if (!same)
            fail("block %u: thread 0 %s at %s:%d, thread %d %s at %s:%d", blockIdx.x,
                 state_name[a->state], a->place.file, a->place.line, i, state_name[f->state],
                 f->place.file, f->place.line);
    }
    return a->state;
}

void Block::run_block(const Body& of, int index, dim3 grid, dim3 block, int together)
{
    body = &of;
    n = (int)block.x;
    cooperative = together;
    blockIdx = {(unsigned)index, 0, 0};
    blockDim = block;
    gridDim = grid;
    while ((int)fiber.size() < n)
        add_fiber();
    release(DONE);
    for (;;) {
        int n_warp = (n + WARP - 1) / WARP;
        warps.next(n_warp);
        std::vector<int> order = warps.list;
        for (int w = 0; w < n_warp; w++)
            run_warp(order[(size_t)w]);
        int state = check();
        if (state == DONE)
            return;
        if (state == AT_GRID) {
            waits = 1;
            at_grid = fiber[0]->place;
            wait_for_host();
            waits = 0;
        }
        release((State)state);
    }
}

void Block::serve()
{
    std::unique_lock<std::mutex> lock(mutex);
    own = this;
    for (;;) {
        changed.wait(lock, [this] { return running || ends; });
        if (ends)
            return;
        lock.unlock();
        work();
        lock.lock();
        work = nullptr;
        running = 0;
        changed.notify_all();
    }
}

// Of the host: the block runs until it waits for the grid, or has ended.
void Block::go_on()
{
    std::unique_lock<std::mutex> lock(mutex);
    running = 1;
    changed.notify_all();
    changed.wait(lock, [this] { return !running; });
}

void Block::wait_for_host()
{
    std::unique_lock<std::mutex> lock(mutex);
    running = 0;
    changed.notify_all();
    changed.wait(lock, [this] { return running; });
}

struct Machine {
    std::vector<std::unique_ptr<Block>> block;
    Order order;
};

Machine& machine()
{
    static Machine all;
    while ((int)all.block.size() < blocks_at_once())
        all.block.emplace_back(new Block());
    return all;
}

void wait_in(State state, Place place)
{
    Fiber* f = own->now;
    f->state = state;
    f->place = place;
    hop(f->at, own->scheduler);
}

void run_together(const Body& body, dim3 grid, dim3 block)
{
    Machine& m = machine();
    int n = (int)grid.x, left = n;
    for (int b = 0; b < n; b++)
        m.block[(size_t)b]->work = [=, &body, &m] {
            m.block[(size_t)b]->run_block(body, b, grid, block, 1);
        };
    while (left > 0) {
        const int* order = m.order.next(n);
        int at_grid = 0, last = 0;
        for (int k = 0; k < n; k++)
            if (m.block[(size_t)order[k]]->work)
                m.block[(size_t)order[k]]->go_on();
        left = 0;
        for (int b = 0; b < n; b++)
            if (m.block[(size_t)b]->work) {
                left++;
                at_grid += m.block[(size_t)b]->at_grid.line == m.block[(size_t)last]->at_grid.line;
                last = b;
            }
        if (left > 0 && (left < n || at_grid < n))
            fail("%d of %d blocks wait for the grid at %s:%d", left, n,
                 m.block[(size_t)last]->at_grid.file, m.block[(size_t)last]->at_grid.line);
    }
}

} // namespace

int lane()
{
    return (int)threadIdx.x % WARP;
}

void meet_block(Place place)
{
    wait_in(AT_BLOCK, place);
}

void meet_grid(Place place)
{
    if (!own->cooperative)
        fail("%s:%d: the launch is not cooperative", place.file, place.line);
    wait_in(AT_GRID, place);
}

uint64_t meet_warp(unsigned mask, Collective kind, uint64_t value, int from, Place place)
{
    Fiber* f = own->now;
    int first = (int)threadIdx.x / WARP * WARP, all = 1;
    if (!(mask >> lane() & 1))
        fail("%s:%d: lane %d is not in its mask %08x", place.file, place.line, lane(), mask);
    f->mask = mask;
    f->kind = kind;
    f->value = value;
    f->from = from;
    f->state = AT_WARP;
    f->place = place;
    for (int l = 0; l < WARP && all; l++) {
        if (!(mask >> l & 1))
            continue;
        if (first + l >= own->n)
            fail("%s:%d: the block has no lane %d of mask %08x", place.file, place.line, l, mask);
        const Fiber* other = own->fiber[(size_t)(first + l)].get();
        all = other->state == AT_WARP && other->mask == mask && other->kind == kind &&
              other->place.line == place.line;
    }
    for (int l = 0; l < WARP && all; l++) {
        if (!(mask >> l & 1))
            continue;
        Fiber* to = own->fiber[(size_t)(first + l)].get();
        to->result = ~(uint64_t)0; // of a lane outside of the mask: not defined
        if (mask >> to->from & 1)
            to->result = own->fiber[(size_t)(first + to->from)]->value;
        for (int k = 0; k < WARP && kind == MATCH; k++) {
            to->result = k == 0 ? 0 : to->result;
            if (mask >> k & 1 && own->fiber[(size_t)(first + k)]->value == to->value)
                to->result |= (uint64_t)1 << k;
        }
        to->state = READY;
    }
    if (!all)
        hop(f->at, own->scheduler);
    return f->result;
}

int blocks_at_once()
{
    const char* text = getenv("COND_EMULATED_BLOCKS");
    int count = text ? atoi(text) : BLOCKS;
    return count > 0 ? count : 1;
}

void run(const Body& body, dim3 grid, dim3 block, int cooperative)
{
    if (cooperative) {
        run_together(body, grid, block);
        return;
    }
    Machine& m = machine();
    int n = (int)grid.x;
    Block* b = m.block[0].get();
    const int* order = m.order.next(n);
    b->work = [=, &body] {
        for (int k = 0; k < n; k++)
            b->run_block(body, order[k], grid, block, 0);
    };
    b->go_on();
}

void fail(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "emulated CUDA: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    abort();
}

} // namespace emulation
