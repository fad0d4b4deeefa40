package io.sluice.cli.secure;

import io.sluice.common.config.HostText;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/** Writes the configuration of coordinators, servers and jobs of a secured cluster. */
final class ConfigurationLines {
  static final String COORDINATOR = "coordinator.conf";
  static final String SERVER = "server.conf";
  static final String SPARK = "spark-defaults.conf";
  static final String MAPREDUCE = "mapred-site.xml";

  private static final int COORDINATOR_PORT = 19999;

  private final InstalledPaths paths;
  private final String quorum;
  private final String user;

  /**
   * @param coordinators hosts of the coordinators
   * @param user user of jobs
   */
  ConfigurationLines(InstalledPaths paths, List<String> coordinators, String user) {
    this.paths = paths;
    this.quorum = quorum(coordinators);
    this.user = user;
  }

  static String quorum(List<String> coordinators) {
    return coordinators.stream()
        .map(host -> HostText.withPort(host, COORDINATOR_PORT))
        .collect(Collectors.joining(","));
  }

  void write(SecureDirectory directory) throws IOException {
    directory.writePublic(COORDINATOR, coordinator());
    directory.writePublic(SERVER, server());
    directory.writePublic(SPARK, spark());
    directory.writePublic(MAPREDUCE, mapReduce());
  }

  private String coordinator() {
    return """
        # Security of a coordinator: a second --conf file, or lines of coordinator.conf.
        rss.security.authentication.enabled true
        rss.security.authority.file %s
        rss.security.identity.file %s
        rss.security.users.file %s
        rss.security.tls.enabled true
        """
        .formatted(paths.authority(), paths.coordinator(), paths.users());
  }

  private String server() {
    return """
        # Security of a server: a second --conf file, or lines of server.conf.
        rss.coordinator.quorum %s
        rss.security.authentication.enabled true
        rss.security.authority.file %s
        rss.security.identity.file %s
        rss.security.users.file %s
        rss.security.tls.enabled true
        """
        .formatted(quorum, paths.authority(), paths.server(), paths.admins());
  }

  private String spark() {
    return """
        # Spark jobs of the user %1$s. The client jar must be on the class path of driver and executors.
        # The driver's host needs both files, every other host with tasks only the authority.
        spark.shuffle.manager org.apache.spark.shuffle.RssShuffleManager
        spark.rss.coordinator.quorum %2$s
        spark.rss.security.user %1$s
        spark.rss.security.user.secret.file %3$s
        spark.rss.security.tls.enabled true
        spark.rss.security.tls.trust.file %4$s
        """
        .formatted(
            user,
            quorum,
            paths.jobs().resolve(SecretUsers.secretFile(user)),
            paths.jobs().resolve(SecureDirectory.AUTHORITY));
  }

  private String mapReduce() {
    String head =
        """
        <?xml version="1.0"?>
        <!-- MapReduce jobs of the user %s. The client jar must be on the class path (docs/mapreduce.md).
             The submitting host needs both files, every other host with tasks only the authority. -->
        <configuration>
        """
            .formatted(user);
    return head
        + property(
            "mapreduce.job.map.output.collector.class",
            "org.apache.hadoop.mapred.RssMapOutputCollector")
        + property(
            "mapreduce.job.reduce.shuffle.consumer.plugin.class",
            "org.apache.hadoop.mapreduce.task.reduce.RssShuffle")
        + property("mapreduce.rss.coordinator.quorum", quorum)
        + property("mapreduce.rss.security.user", user)
        + property(
            "mapreduce.job.credentials.json",
            paths.jobs().resolve(SecretUsers.credentialsFile(user)).toString())
        + property("mapreduce.rss.security.tls.enabled", "true")
        + property(
            "mapreduce.rss.security.tls.trust.file",
            paths.jobs().resolve(SecureDirectory.AUTHORITY).toString())
        + "</configuration>\n";
  }

  private static String property(String name, String value) {
    return "  <property><name>"
        + name
        + "</name><value>"
        + value.replace("&", "&amp;").replace("<", "&lt;")
        + "</value></property>\n";
  }
}
