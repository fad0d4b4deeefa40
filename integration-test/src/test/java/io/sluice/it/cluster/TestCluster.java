package io.sluice.it.cluster;

import io.sluice.localcluster.LocalCluster;
import java.nio.file.Path;

/** Clusters of processes for the duration of a test. */
public final class TestCluster {
  private TestCluster() {}

  /**
   * A cluster on the class path of this test. Its JVMs use only the C1 compiler, because C2 takes a
   * third of the CPU of a process that runs for seconds.
   *
   * @param directory directory for all files of the processes; created here
   */
  public static LocalCluster.Builder builder(Path directory) {
    return LocalCluster.builder()
        .directory(directory)
        .classPath(System.getProperty("java.class.path"))
        .coordinatorJvmOptions("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
        .serverJvmOptions("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
  }
}
