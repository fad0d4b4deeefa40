/**
 * A whole cluster in one thread. Client, servers and coordinator are production classes; only
 * clock, executors, network and disks are simulated. All that happens follows from one seed.
 */
package io.sluice.simulation;
