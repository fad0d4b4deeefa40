/**
 * A cluster of real processes on this machine: coordinators and shuffle servers started from the
 * command line's main class, and YARN, on loopback and free ports, with a deadline for every step.
 * The demo, the benchmarks and the integration tests start their clusters here.
 *
 * <p>Uses only command lines, ready files and public interfaces of the processes, so client,
 * coordinator and servers must not depend on it.
 *
 * <p>Threads: the classes are used from one thread; {@link
 * io.sluice.localcluster.LocalCluster#close} may also be called from a shutdown hook while that
 * thread uses the cluster.
 */
package io.sluice.localcluster;
