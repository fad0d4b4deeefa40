/**
 * Moves runs from fast disks that fill up to slower ones. {@link
 * io.sluice.server.tier.DemotionPolicy} says which, {@link io.sluice.server.tier.RunMover} copies
 * one, {@link io.sluice.server.tier.Demoter} does so on one thread per disk that has a slower one
 * behind it. Nothing waits for these threads.
 */
package io.sluice.server.tier;
