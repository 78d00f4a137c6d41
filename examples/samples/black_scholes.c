/* Firepile's Black-Scholes: the values of European options, calls and puts. A map takes structs and returns structs.
 * Its functions are C, so the host could call them too. */
#include <firepile.h>
#include <firepile/math.h>
#include <stdio.h>

GPU_CONSTANT(RATE, 0.02f); /* the riskless rate, per year */
GPU_CONSTANT(VOLATILITY, 0.3f);

GPU_STRUCT(option, float price; float strike; float years;);
GPU_STRUCT(worth, float call; float put;);

/* The part of the normal distribution below x: formula 26.2.17 of Abramowitz and Stegun, with an error below 7.5e-8. */
GPU_FUNCTION(float, normal_below, (float x), {
    float k = 1 / (1 + 0.2316419f * fabs(x));
    float sum = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float above = 0.39894228f * exp(-0.5f * x * x) * sum;
    return x < 0 ? above : 1 - above;
});

GPU_FUNCTION(worth, evaluate, (option o), {
    float deviation = VOLATILITY * sqrt(o.years);
    float d1 = (log(o.price / o.strike) + (RATE + 0.5f * VOLATILITY * VOLATILITY) * o.years) / deviation;
    float d2 = d1 - deviation;
    float strike = o.strike * exp(-RATE * o.years); /* discounted to today */
    worth w;
    w.call = o.price * normal_below(d1) - strike * normal_below(d2);
    w.put = strike * normal_below(-d2) - o.price * normal_below(-d1);
    return w;
});

enum { COUNT = 100000 };
static option options[COUNT];
static worth values[COUNT];

/* In double, by the error function of the C library. */
static double exact_below(double x)
{
    return erfc(-x / M_SQRT2) / 2;
}

/* A NaN is infinitely far from everything. */
static double off(double a, double b)
{
    double difference = fabs(a - b);
    return difference >= 0 ? difference : INFINITY;
}

/* The larger difference of the two values. */
static double difference(const option *o, const worth *w)
{
    double price = o->price, deviation = VOLATILITY * sqrt((double)o->years);
    double strike = o->strike * exp(-(double)RATE * o->years);
    double d1 = log(price / strike) / deviation + deviation / 2, d2 = d1 - deviation;
    double call = price * exact_below(d1) - strike * exact_below(d2);
    double put = strike * exact_below(-d2) - price * exact_below(-d1);
    return fmax(off(w->call, call), off(w->put, put));
}

static float between(float low, float high, unsigned number)
{
    return low + (high - low) * (float)(number * 2654435761u >> 8) / 16777216;
}

int main(void)
{
    for (unsigned k = 0; k < COUNT; k++)
        options[k] = (option){between(5, 30, 3 * k), between(1, 100, 3 * k + 1), between(0.25f, 10, 3 * k + 2)};

    gpu *g = gpu_open(NULL);
    gpu_array *all = gpu_array_from(g, GPU_TYPE(option), options, COUNT);
    bool failed = gpu_read(gpu_map_to(all, GPU_TYPE(worth), evaluate), values);

    /* Prices and strikes are up to 100. Relative to that the formula is off by at most 7.5e-8, twice, and some ten
     * roundings by 6e-8 each. */
    double worst = 0, allowed = 1e-4;
    for (int k = 0; k < COUNT && !failed; k++) worst = fmax(worst, difference(&options[k], &values[k]));
    if (failed)
        fprintf(stderr, "%s\n", gpu_error());
    else
        printf("Black-Scholes: %d options on %s, off from plain C in double by %.1e at most (allowed: %.1e)\n", COUNT,
               gpu_device_name(g), worst, allowed);

    if (fflush(stdout)) {
        perror("black_scholes");
        failed = true;
    }
    gpu_close(g);
    return failed || !(worst <= allowed);
}
