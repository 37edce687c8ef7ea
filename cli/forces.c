// Prints sensors and pair forces as CSV, JSON and text (forces.h).
#include "forces.h"

#include "csv.h"

#include <math.h>
#include <stdlib.h>

static double size(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

void forces_csv_header(FILE* file, const CondModel* model)
{
    static const char* const parts[] = {"fx", "fy", "fz", "tx", "ty", "tz", "cx", "cy", "cz"};
    Text text = {0};
    text_add(&text, "time");
    static const char* const motion[] = {"ax", "ay", "az", "wx", "wy", "wz", "vx", "vy", "vz"};
    for (int i = 0; i < cond_model_n_sensor(model); i++) {
        const char* name = cond_model_sensor_name(model, i);
        CondSensorKind kind = cond_model_sensor_kind(model, i);
        if (kind == COND_SENSOR_RANGE)
            csv_column(&text, name, "distance");
        for (size_t k = 0; kind == COND_SENSOR_IMU && k < 9; k++)
            csv_column(&text, name, motion[k]);
        for (size_t k = 0; kind <= COND_SENSOR_JOINT && k < sizeof parts / sizeof parts[0]; k++)
            csv_column(&text, name, parts[k]);
    }
    fprintf(file, "%s\n", text.data ? text.data : "");
    free(text.data);
}

void forces_csv_row(FILE* file, const CondModel* model, const CondSim* sim, double time)
{
    fprintf(file, "%.9g", time);
    for (int i = 0; i < cond_model_n_sensor(model); i++) {
        CondSensorReading reading;
        if (cond_sim_sensor(sim, i, &reading))
            continue;
        switch (cond_model_sensor_kind(model, i)) {
        case COND_SENSOR_IMU:
            csv_numbers(file, 17, reading.acceleration, 3);
            csv_numbers(file, 17, reading.angular_velocity, 3);
            csv_numbers(file, 17, reading.velocity, 3);
            break;
        case COND_SENSOR_RANGE:
            csv_numbers(file, 17, &reading.distance, 1);
            break;
        default:
            csv_numbers(file, 17, reading.force, 3);
            csv_numbers(file, 17, reading.torque, 3);
            csv_numbers(file, 17, reading.centre, 3); // empty where there is no centre of pressure
        }
    }
    fputc('\n', file);
}

void forces_add(const CondModel* model, const CondSim* sim, SensorSum* sum)
{
    for (int i = 0; i < cond_model_n_sensor(model); i++) {
        SensorSum* s = &sum[i];
        if (cond_sim_sensor(sim, i, &s->latest))
            continue;
        for (int k = 0; k < 3; k++) {
            s->mean[k] += s->latest.force[k];
            s->mean[3 + k] += s->latest.torque[k];
        }
        s->peak_force = fmax(s->peak_force, size(s->latest.force));
        s->peak_torque = fmax(s->peak_torque, size(s->latest.torque));
        s->n++;
    }
}

void forces_print(FILE* file, const CondModel* model, const SensorSum* sum)
{
    for (int i = 0; i < cond_model_n_sensor(model); i++) {
        const SensorSum* s = &sum[i];
        const double *f = s->latest.force, *t = s->latest.torque;
        const double *a = s->latest.acceleration, *w = s->latest.angular_velocity;
        if (cond_model_sensor_kind(model, i) == COND_SENSOR_IMU)
            fprintf(file,
                    "  sensor        %s: acceleration (%.4g, %.4g, %.4g) m/s2, angular velocity "
                    "(%.4g, %.4g, %.4g) rad/s at the end\n",
                    cond_model_sensor_name(model, i), a[0], a[1], a[2], w[0], w[1], w[2]);
        else if (cond_model_sensor_kind(model, i) == COND_SENSOR_RANGE)
            fprintf(file, "  sensor        %s: distance %.4g m at the end\n",
                    cond_model_sensor_name(model, i), s->latest.distance);
        if (cond_model_sensor_kind(model, i) > COND_SENSOR_JOINT)
            continue;
        fprintf(file,
                "  sensor        %s: force (%.4g, %.4g, %.4g) N, torque (%.4g, %.4g, %.4g) N m at "
                "the end; at most %.4g N, %.4g N m\n",
                cond_model_sensor_name(model, i), f[0], f[1], f[2], t[0], t[1], t[2], s->peak_force,
                s->peak_torque);
    }
}

json_t* forces_sensors_json(const CondModel* model, const SensorSum* sum)
{
    json_t* out = json_array();
    for (int i = 0; i < cond_model_n_sensor(model); i++) {
        const SensorSum* s = &sum[i];
        double mean[6];
        for (int k = 0; k < 6; k++)
            mean[k] = s->n > 0 ? s->mean[k] / s->n : 0.0;
        json_t* one = json_pack(
            "{s:s, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o}", "name",
            cond_model_sensor_name(model, i), "force", json_numbers(s->latest.force, 3), "torque",
            json_numbers(s->latest.torque, 3), "centre", json_numbers(s->latest.centre, 3),
            "contacts", s->latest.n_contact, "mean_force", json_numbers(mean, 3), "mean_torque",
            json_numbers(mean + 3, 3), "peak_force", json_number(s->peak_force), "peak_torque",
            json_number(s->peak_torque));
        if (one && cond_model_sensor_kind(model, i) == COND_SENSOR_IMU) {
            json_object_set_new(one, "acceleration", json_numbers(s->latest.acceleration, 3));
            json_object_set_new(one, "angular_velocity",
                                json_numbers(s->latest.angular_velocity, 3));
            json_object_set_new(one, "velocity", json_numbers(s->latest.velocity, 3));
        }
        if (one && cond_model_sensor_kind(model, i) == COND_SENSOR_RANGE)
            json_object_set_new(one, "distance", json_number(s->latest.distance));
        json_array_append_new(out, one);
    }
    return out;
}

// A contact that carries a force, with its pair: a pair has one name, whoever's point it was.
typedef struct PairContact {
    int body, other, contact;
} PairContact;

static int by_pair(const void* a, const void* b)
{
    const PairContact *x = a, *y = b;
    if (x->body != y->body)
        return x->body < y->body ? -1 : 1;
    if (x->other != y->other)
        return x->other < y->other ? -1 : 1;
    return x->contact < y->contact ? -1 : x->contact > y->contact;
}

static int list_pairs(const CondSim* sim, PairContact* list)
{
    int n = 0;
    for (int c = 0; c < cond_sim_n_contact(sim); c++) {
        CondContactInfo contact = cond_sim_contact(sim, c);
        int turned = contact.other >= 0 && contact.other < contact.body;
        if (contact.body < 0 || contact.impulse[0] == 0.0)
            continue;
        list[n++] = (PairContact){turned ? contact.other : contact.body,
                                  turned ? contact.body : contact.other, c};
    }
    qsort(list, (size_t)n, sizeof *list, by_pair);
    return n;
}

static json_t* pair_json(const CondModel* model, const PairContact* pair, const CondResultant* sum)
{
    const char* name = cond_model_body_name(model, pair->other);
    return json_pack("{s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "body",
                     cond_model_body_name(model, pair->body), "other",
                     name ? json_string(name) : json_null(), "contacts", sum->n_contact, "force",
                     json_numbers(sum->force, 3), "torque", json_numbers(sum->torque, 3),
                     "pressure", json_number(sum->pressure), "centre", json_numbers(sum->centre, 3),
                     "free_torque", json_numbers(sum->free_torque, 3));
}

json_t* forces_pairs_json(const CondModel* model, const CondSim* sim)
{
    size_t room = (size_t)cond_sim_n_contact(sim) + 1;
    json_t* out = json_array();
    PairContact* list = malloc(room * sizeof *list);
    int* contact = malloc(room * sizeof *contact);
    int n = list && contact ? list_pairs(sim, list) : 0;
    for (int first = 0, last; first < n; first = last) {
        const PairContact* pair = &list[first];
        for (last = first;
             last < n && list[last].body == pair->body && list[last].other == pair->other; last++)
            contact[last - first] = list[last].contact;
        CondResultant sum =
            cond_sim_listed_force(sim, pair->body, pair->other, last - first, contact);
        json_array_append_new(out, pair_json(model, pair, &sum));
    }
    free(contact);
    free(list);
    return out;
}
