/**
 * Hadoop on this machine, in processes of its own: a mini cluster of YARN, and the programs that
 * submit jobs to it. The demo runs on it, and so do the integration tests.
 *
 * <p>Nothing of Hadoop is on this class path; what the processes run on is a {@link
 * io.sluice.demo.yarn.HadoopHome}.
 */
package io.sluice.demo.yarn;
