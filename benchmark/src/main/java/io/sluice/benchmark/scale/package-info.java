/**
 * Capacity of one coordinator: a process with simulated servers and drivers, which send the calls
 * of real ones.
 *
 * <p>Threads: the main thread starts calls; replies arrive on threads of gRPC.
 */
package io.sluice.benchmark.scale;
