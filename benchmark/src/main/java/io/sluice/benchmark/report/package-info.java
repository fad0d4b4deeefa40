/**
 * Report of benchmarks: reads the files of {@code --json}, and writes a page with charts and the
 * tables of docs/performance.md.
 *
 * <p>Threads: every class is used by one thread.
 */
package io.sluice.benchmark.report;
