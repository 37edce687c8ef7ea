// What the loader makes of the tool and its shared libraries: where it looks for libraries, and
// what guards the program has. Reads the files themselves:   test_elf [FILE OR FOLDER]...
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE = 16 };

// A file in memory, and what its dynamic section says.
typedef struct Elf {
    const char* path;
    unsigned char* bytes;
    size_t size;
    const char* runpath; // NULL: none
    int relro, now;      // 1: the tables are read-only, and all symbols are bound at the start
    int guarded;         // 1: stacks are guarded
    int checked;         // 1: copies are checked
} Elf;

static char* files[MAX_FILE];
static int n_file;

static const void* at(const Elf* elf, uint64_t offset, size_t size)
{
    if (offset > elf->size || size > elf->size - offset)
        fail_msg("%s: cut short", elf->path);
    return elf->bytes + offset;
}

static int ends_with(const char* text, const char* end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

// The names that the file takes from others.
static void look_at_symbols(Elf* elf, const Elf64_Shdr* section, int n)
{
    for (int k = 0; k < n; k++) {
        if (section[k].sh_type != SHT_DYNSYM)
            continue;
        const Elf64_Shdr* text = &section[section[k].sh_link];
        const Elf64_Sym* symbol = at(elf, section[k].sh_offset, section[k].sh_size);
        for (size_t i = 0; i < section[k].sh_size / sizeof *symbol; i++) {
            const char* name = at(elf, text->sh_offset + symbol[i].st_name, 1);
            if (symbol[i].st_shndx != SHN_UNDEF)
                continue;
            elf->guarded |= strncmp(name, "__stack_chk_fail", 16) == 0;
            elf->checked |= ends_with(name, "_chk");
        }
    }
}

static void look_at_dynamic(Elf* elf, const Elf64_Shdr* section, int n)
{
    for (int k = 0; k < n; k++) {
        if (section[k].sh_type != SHT_DYNAMIC)
            continue;
        const Elf64_Shdr* text = &section[section[k].sh_link];
        const Elf64_Dyn* entry = at(elf, section[k].sh_offset, section[k].sh_size);
        for (size_t i = 0; i < section[k].sh_size / sizeof *entry; i++) {
            uint64_t value = entry[i].d_un.d_val;
            if (entry[i].d_tag == DT_RUNPATH || entry[i].d_tag == DT_RPATH)
                elf->runpath = at(elf, text->sh_offset + value, 1);
            elf->now |= (entry[i].d_tag == DT_FLAGS && (value & DF_BIND_NOW)) ||
                        (entry[i].d_tag == DT_FLAGS_1 && (value & DF_1_NOW));
        }
    }
}

static Elf elf_open(const char* path)
{
    struct stat about;
    Elf elf = {.path = path};
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &about) != 0)
        fail_msg("%s: cannot be read", path);
    elf.size = (size_t)about.st_size;
    elf.bytes = mmap(NULL, elf.size, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_true(elf.bytes != MAP_FAILED);
    close(fd);
    const Elf64_Ehdr* header = at(&elf, 0, sizeof *header);
    assert_memory_equal(header->e_ident, ELFMAG, SELFMAG);
    assert_int_equal(header->e_ident[EI_CLASS], ELFCLASS64);
    const Elf64_Phdr* segment = at(&elf, header->e_phoff, header->e_phnum * sizeof *segment);
    for (int k = 0; k < header->e_phnum; k++)
        elf.relro |= segment[k].p_type == PT_GNU_RELRO;
    const Elf64_Shdr* section = at(&elf, header->e_shoff, header->e_shnum * sizeof *section);
    look_at_dynamic(&elf, section, header->e_shnum);
    look_at_symbols(&elf, section, header->e_shnum);
    return elf;
}

// Every folder of the RUNPATH is absolute, or by the file's own place. An empty entry would be the
// current folder, whatever lies there.
static void test_runpath(void** state)
{
    (void)state;
    for (int k = 0; k < n_file; k++) {
        Elf elf = elf_open(files[k]);
        for (const char* entry = elf.runpath; entry;) {
            if (entry[0] != '/' && strncmp(entry, "$ORIGIN", 7) != 0)
                fail_msg("%s: RUNPATH '%s' holds the current folder", elf.path, elf.runpath);
            entry = strchr(entry, ':');
            entry = entry ? entry + 1 : NULL;
        }
        munmap(elf.bytes, elf.size);
    }
}

static void test_guards(void** state)
{
    (void)state;
#ifndef COND_HARDENED
    skip();
#endif
    for (int k = 0; k < n_file; k++) {
        Elf elf = elf_open(files[k]);
        if (!elf.relro || !elf.now)
            fail_msg("%s: no full RELRO", elf.path);
        // The tool has buffers on its stack and prints into them; a library need not.
        int tool = ends_with(elf.path, "/cond");
        if (tool && (!elf.guarded || !elf.checked))
            fail_msg("%s: %s", elf.path, elf.guarded ? "nothing is fortified" : "no stack guards");
        munmap(elf.bytes, elf.size);
    }
}

static void add_file(const char* folder, const char* name)
{
    char path[4096];
    if (n_file == MAX_FILE)
        return;
    snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
    files[n_file++] = strdup(path);
}

// The shared libraries of a folder; links to them are they.
static void add_folder(const char* folder)
{
    DIR* open = opendir(folder);
    for (struct dirent* entry; open && (entry = readdir(open));)
        if (strncmp(entry->d_name, "libcond", 7) == 0 && ends_with(entry->d_name, ".so"))
            add_file(folder, entry->d_name);
    if (open)
        closedir(open);
}

int main(int argc, char** argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runpath),
        cmocka_unit_test(test_guards),
    };
    const char* const usual[] = {COND_CLI, COND_LIBRARIES};
    int n = argc > 1 ? argc - 1 : 2;
    for (int k = 0; k < n; k++) {
        const char* path = argc > 1 ? argv[k + 1] : usual[k];
        struct stat about;
        if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
            add_folder(path);
        else if (k == 0)
            add_file("", path);
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int k = 0; k < n_file; k++)
        free(files[k]);
    return failed;
}
