/**
 * A whole cluster on virtual time. Client, servers and coordinators are production classes; only
 * clocks, executors, network, disks and the shared log of coordinators are simulated. All that
 * happens, including the interleaving of threads, follows from one seed.
 */
package io.sluice.simulation;
