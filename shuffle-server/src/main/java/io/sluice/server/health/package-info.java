/**
 * How well each disk is: {@link io.sluice.server.health.DiskHealth} judges from what the disk's own
 * threads report. Plain Java without threads or files; time comes in. Thread-safe. Whoever reads or
 * writes a disk reports here; {@code storage} has the threads that probe and act.
 */
package io.sluice.server.health;
