/**
 * From memory to run files. {@link io.sluice.server.spill.SpillPolicy} decides and has neither
 * threads nor files, {@link io.sluice.server.spill.SpillWriter} writes one run, {@link
 * io.sluice.server.spill.Spiller} has the threads: one that plans, one per disk that writes.
 */
package io.sluice.server.spill;
