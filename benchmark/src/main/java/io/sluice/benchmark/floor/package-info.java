/**
 * The floor of this machine: a minimal server for frames, and the CPU time of Sluice's server as
 * multiples of it. {@link io.sluice.benchmark.floor.FloorServer} is a process; the other classes
 * are used by the benchmark.
 *
 * <p>Threads: both ends of the minimal server use a thread per connection and blocking channels.
 */
package io.sluice.benchmark.floor;
