/**
 * A cluster of real processes on this machine: coordinators and shuffle servers started from the
 * command line's main class, on loopback and free ports, with a deadline for everything. The demo
 * runs on it, and so do the integration tests.
 *
 * <p>Threads: the classes are used from one thread; {@link
 * io.sluice.demo.cluster.LocalCluster#close} may also be called from a shutdown hook while that
 * thread still works.
 */
package io.sluice.demo.cluster;
