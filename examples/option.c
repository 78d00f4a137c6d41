/* Prices of options by simulation. A European call pays by the last price, an Asian call by the mean of the monthly
 * prices. Each path takes twelve normally distributed numbers. Black and Scholes' formula gives the European price
 * too. */
#include <firepile.h>
#include <firepile/random.h>
#include <math.h>
#include <stdio.h>

#define PATHS (1 << 18)
#define MONTHS 12

static const float spot = 100, strike = 105, rate = 0.02f, volatility = 0.3f;

/* What both options pay on each path, a year from now. */
static gpu_array *pay(gpu *g)
{
    const int months = MONTHS;
    const float drift = (rate - volatility * volatility / 2) / MONTHS, spread = volatility * sqrtf(1.0f / MONTHS);
    gpu_array *noise = gpu_random_normal(g, GPU_FLOAT, PATHS * MONTHS, 2011);
    return gpu_map_to(gpu_range(g, GPU_UINT, PATHS), GPU_FLOAT2,
                      "{"
                      "  float price = spot, sum = 0;"
                      "  for (int month = 0; month < months; month++) {"
                      "    price *= exp(drift + spread * noise[months * x + month]);"
                      "    sum += price;"
                      "  }"
                      "  return (float2)(fmax(price - strike, 0.0f), fmax(sum / months - strike, 0.0f));"
                      "}",
                      GPU_ARG(noise), GPU_ARG(months), GPU_ARG(drift), GPU_ARG(spread), GPU_ARG(spot), GPU_ARG(strike));
}

static double below_normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

static double black_scholes(void)
{
    const double d = (log((double)spot / strike) + rate + volatility * volatility / 2.0) / volatility;
    return spot * below_normal(d) - strike * exp(-rate) * below_normal(d - volatility);
}

int main(void)
{
    gpu *g = gpu_open(NULL);
    gpu_float2 sum = {0, 0};
    bool failed = gpu_reduce(pay(g), "a + b", &sum);
    const double european = exp(-rate) * sum.x / PATHS, asian = exp(-rate) * sum.y / PATHS, known = black_scholes();
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    if (!failed) printf("European %.2f (Black and Scholes: %.2f), Asian %.2f\n", european, known, asian);
    if (fflush(stdout)) {
        perror("option");
        failed = true;
    }
    gpu_close(g);
    return failed || fabs(european - known) > 0.15 || asian >= european;
}
