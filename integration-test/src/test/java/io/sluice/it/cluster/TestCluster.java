package io.sluice.it.cluster;

import io.sluice.localcluster.LocalCluster;
import java.nio.file.Path;
import java.util.List;

/** Clusters of processes for the duration of a test. */
public final class TestCluster {
  /** JVM options of coordinators. */
  public static final List<String> COORDINATOR_OPTIONS =
      List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private TestCluster() {}

  /**
   * A cluster on the class path of this test. Its JVMs start with a class data archive, and use
   * only the C1 compiler, because C2 takes a third of the CPU of a process that runs for seconds.
   *
   * @param directory directory for all files of the processes; created here
   */
  public static LocalCluster.Builder builder(Path directory) {
    return LocalCluster.builder()
        .directory(directory)
        .classPath(TestClassPath.text())
        .archive(TestClassPath.archive())
        .coordinatorJvmOptions(COORDINATOR_OPTIONS.toArray(String[]::new))
        .serverJvmOptions("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
  }
}
