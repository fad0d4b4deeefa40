/**
 * Background work on run files, with one thread per disk for each kind of work; requests never wait
 * for it.
 *
 * <ul>
 *   <li>Spill: {@link io.sluice.server.background.SpillPolicy} selects shuffles, {@link
 *       io.sluice.server.background.SpillWriter} writes one run, {@link
 *       io.sluice.server.background.Spiller} plans.
 *   <li>Merge: {@link io.sluice.server.background.MergePolicy} selects runs, {@link
 *       io.sluice.server.background.MergeWriter} rewrites several as one, {@link
 *       io.sluice.server.background.Merger} plans. Readers use the old runs until a merge is done.
 *   <li>Demote: {@link io.sluice.server.background.DemotionPolicy} selects runs, {@link
 *       io.sluice.server.background.RunMover} copies one to a slower tier, {@link
 *       io.sluice.server.background.Demoter} plans.
 *   <li>Scrub: {@link io.sluice.server.background.DiskScrubber} verifies the checksums of idle runs
 *       at a limited rate.
 * </ul>
 *
 * <p>Policies have no threads and do no I/O.
 */
package io.sluice.server.background;
