/**
 * Hadoop as processes of this machine: a mini cluster of YARN, and the programs that submit jobs to
 * it. The demo, the benchmarks and the integration tests use it.
 *
 * <p>Nothing of Hadoop is on this class path; the processes run on a {@link
 * io.sluice.localcluster.yarn.HadoopHome}. Used from one thread; {@link
 * io.sluice.localcluster.yarn.YarnCluster#close} may also be called from a shutdown hook.
 */
package io.sluice.localcluster.yarn;
