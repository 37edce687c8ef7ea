// Prints efforts and positions of joints as CSV and JSON (joints.h).
#include "joints.h"

#include "csv.h"

#include <math.h>
#include <stdlib.h>

static const double FULL = 1.0 - 1e-9; // of the effort limit: at it

int joints_count(const CondModel* model)
{
    int n = 0;
    for (int b = 0; b < cond_model_n_body(model); b++)
        n += cond_model_n_coordinate(model, b);
    return n;
}

void joints_csv_header(FILE* file, const CondModel* model)
{
    static const char* const parts[] = {"position", "velocity", "motor",
                                        "friction", "limit",    "velocity_limit"};
    Text text = {0};
    text_add(&text, "time");
    for (int b = 0; b < cond_model_n_body(model); b++)
        for (int j = 0; j < cond_model_n_coordinate(model, b); j++)
            for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
                Text name = {0};
                text_add(&name, "%s.%s", cond_model_body_name(model, b),
                         cond_model_coordinate_name(model, b, j));
                csv_column(&text, name.data ? name.data : "", parts[k]);
                free(name.data);
            }
    fprintf(file, "%s\n", text.data ? text.data : "");
    free(text.data);
}

void joints_csv_row(FILE* file, const CondModel* model, const CondSim* sim, double time)
{
    fprintf(file, "%.9g", time);
    for (int b = 0; b < cond_model_n_body(model); b++)
        for (int j = 0; j < cond_model_n_coordinate(model, b); j++) {
            CondJointReading r;
            if (cond_sim_joint(sim, b, j, &r))
                continue;
            double numbers[] = {r.position, r.velocity, r.motor,
                                r.friction, r.limit,    r.velocity_limit};
            csv_numbers(file, 17, numbers, 6);
        }
    fputc('\n', file);
}

void joints_add(const CondModel* model, const CondSim* sim, JointSum* sum)
{
    for (int b = 0; b < cond_model_n_body(model); b++)
        for (int j = 0; j < cond_model_n_coordinate(model, b); j++, sum++) {
            const CondJointReading* r = &sum->latest;
            if (cond_sim_joint(sim, b, j, &sum->latest))
                continue;
            sum->lower += r->limit > 0.0;
            sum->upper += r->limit < 0.0;
            sum->saturated += fabs(r->motor) >= FULL * r->effort;
            sum->fastest += r->velocity_limit != 0.0;
            sum->peak_limit = fmax(sum->peak_limit, fabs(r->limit));
        }
}

void joints_print(FILE* file, const CondModel* model, const JointSum* sum)
{
    for (int b = 0; b < cond_model_n_body(model); b++)
        for (int j = 0; j < cond_model_n_coordinate(model, b); j++, sum++) {
            const char* comma = "";
            if (!sum->lower && !sum->upper && !sum->saturated && !sum->fastest)
                continue;
            fprintf(file, "  joint         %s.%s: ", cond_model_body_name(model, b),
                    cond_model_coordinate_name(model, b, j));
            if (sum->lower || sum->upper) {
                fprintf(file, "at its %s limit in %d steps, with %.4g at most",
                        !sum->upper   ? "lower"
                        : !sum->lower ? "upper"
                                      : "lower or upper",
                        sum->lower + sum->upper, sum->peak_limit);
                comma = "; ";
            }
            if (sum->saturated) {
                fprintf(file, "%smotor at its effort of %.4g in %d steps", comma,
                        sum->latest.effort, sum->saturated);
                comma = "; ";
            }
            if (sum->fastest)
                fprintf(file, "%sat its velocity limit in %d steps", comma, sum->fastest);
            fputc('\n', file);
        }
}

json_t* joints_json(const CondModel* model, const JointSum* sum)
{
    json_t* out = json_array();
    for (int b = 0; b < cond_model_n_body(model); b++)
        for (int j = 0; j < cond_model_n_coordinate(model, b); j++, sum++) {
            const CondJointReading* r = &sum->latest;
            json_array_append_new(
                out,
                json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:o}",
                          "body", cond_model_body_name(model, b), "name",
                          cond_model_coordinate_name(model, b, j), "position",
                          json_number(r->position), "velocity", json_number(r->velocity), "motor",
                          json_number(r->motor), "friction", json_number(r->friction), "limit",
                          json_number(r->limit), "velocity_limit", json_number(r->velocity_limit),
                          "lower_steps", sum->lower, "upper_steps", sum->upper, "saturated_steps",
                          sum->saturated, "fastest_steps", sum->fastest, "peak_limit",
                          json_number(sum->peak_limit)));
        }
    return out;
}
