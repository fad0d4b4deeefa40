/**
 * Microbenchmarks with JMH of the code that handles every block: the codec, the framing of pushes
 * and the server's log. {@code ./sluice bench jmh} runs them.
 *
 * <p>Threads: those of JMH; each state object is used by one thread.
 */
package io.sluice.benchmark.jmh;
