package io.sluice.benchmark.published;

import io.sluice.client.TransportKind;
import org.HdrHistogram.Histogram;

/**
 * A number of concurrent tasks over one transport.
 *
 * @param tasks number of tasks, all at the same time
 * @param completionSeconds time until the last task ended
 * @param taskUs microseconds of each task
 * @param retries pushes that the server refused temporarily
 * @param serverCpuSeconds CPU time of the server
 * @param residentBytes highest resident memory of the server
 */
record TransportRound(
    TransportKind transport,
    int tasks,
    double completionSeconds,
    Histogram taskUs,
    long retries,
    double serverCpuSeconds,
    long residentBytes) {}
