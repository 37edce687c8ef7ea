// The light of pictures: a sun, and a sky that the ground reflects.
#ifndef COND_RECORD_LIGHT_H
#define COND_RECORD_LIGHT_H

// Radius of the sphere for a point, in sizes of the scene.
#define COND_PICTURE_DOT 0.012

// Of the sun and of the sky on a white surface that faces them.
static const double cond_light_sunlight = 0.66, cond_light_skylight = 0.44;
// Share of the sky's light that the ground gives back.
static const double cond_light_ground[3] = {0.584, 0.604, 0.645};

// Direction of the sun's light.
static const double cond_light_sun[3] = {0.28339429371654384, 0.590404778576133,
                                         -0.7557181165774504};

enum { COND_LIGHT_FLOOR = 0xdde2e8, COND_LIGHT_BACKGROUND = 0xe9edf2 };

// Linear colours under the light: sun, the cosine times how much of it is seen; height of the
// surface's normal.
static inline void cond_light(double sun, double height, const float colour[3], double rgb[3])
{
    double up = 0.5 + 0.5 * height, direct = cond_light_sunlight * sun;
    for (int i = 0; i < 3; i++)
        rgb[i] = (double)colour[i] *
                 (direct + cond_light_skylight * (up + (1.0 - up) * cond_light_ground[i]));
}

#endif
