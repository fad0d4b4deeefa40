package io.sluice.it.cluster;

import io.sluice.localcluster.LocalCluster;
import java.nio.file.Path;

/** Clusters of processes that run for the seconds of a test. */
public final class TestCluster {
  private TestCluster() {}

  /**
   * A cluster on the class path of this test. Its JVMs compile with the first compiler only: the
   * second one takes a third of the CPU of a process that lives for seconds.
   *
   * @param directory for everything that the processes write; made here
   */
  public static LocalCluster.Builder builder(Path directory) {
    return LocalCluster.builder()
        .directory(directory)
        .classPath(System.getProperty("java.class.path"))
        .coordinatorJvmOptions("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
        .serverJvmOptions("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
  }
}
