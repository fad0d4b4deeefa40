package io.sluice.cli.secure;

import io.sluice.common.config.HostText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    directory.writePublic(
        COORDINATOR,
        lines(
            "# Quorum and security of a coordinator: a second --conf file, or lines of its configuration.\n",
            coordinator()));
    directory.writePublic(
        SERVER,
        lines(
            "# Coordinators and security of a server: a second --conf file, or lines of its configuration.\n",
            server()));
    directory.writePublic(
        SPARK,
        lines(
            "# Spark jobs of the user "
                + user
                + ". The client jar must be on the class path of driver and executors.\n"
                + "# The driver's host needs both files, every other host with tasks only the"
                + " authority.\n",
            spark()));
    directory.writePublic(MAPREDUCE, xml(mapReduce()));
  }

  Map<String, String> coordinator() {
    Map<String, String> keys = new LinkedHashMap<>();
    if (quorum.contains(",")) {
      keys.put("rss.coordinator.quorum", quorum);
    }
    keys.putAll(process(paths.coordinator(), paths.users()));
    return keys;
  }

  Map<String, String> server() {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("rss.coordinator.quorum", quorum);
    keys.putAll(process(paths.server(), paths.admins()));
    return keys;
  }

  private Map<String, String> process(Path identity, Path users) {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("rss.security.authentication.enabled", "true");
    keys.put("rss.security.authority.file", paths.authority().toString());
    keys.put("rss.security.identity.file", identity.toString());
    keys.put("rss.security.users.file", users.toString());
    keys.put("rss.security.tls.enabled", "true");
    return keys;
  }

  Map<String, String> spark() {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("spark.shuffle.manager", "org.apache.spark.shuffle.RssShuffleManager");
    keys.put("spark.rss.coordinator.quorum", quorum);
    keys.put("spark.rss.security.user", user);
    keys.put(
        "spark.rss.security.user.secret.file",
        paths.jobs().resolve(SecretUsers.secretFile(user)).toString());
    keys.put("spark.rss.security.tls.enabled", "true");
    keys.put(
        "spark.rss.security.tls.trust.file",
        paths.jobs().resolve(SecureDirectory.AUTHORITY).toString());
    return keys;
  }

  Map<String, String> mapReduce() {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put(
        "mapreduce.job.map.output.collector.class",
        "org.apache.hadoop.mapred.RssMapOutputCollector");
    keys.put(
        "mapreduce.job.reduce.shuffle.consumer.plugin.class",
        "org.apache.hadoop.mapreduce.task.reduce.RssShuffle");
    keys.put("mapreduce.rss.coordinator.quorum", quorum);
    keys.put("mapreduce.rss.security.user", user);
    keys.put(
        "mapreduce.job.credentials.json",
        paths.jobs().resolve(SecretUsers.credentialsFile(user)).toString());
    keys.put("mapreduce.rss.security.tls.enabled", "true");
    keys.put(
        "mapreduce.rss.security.tls.trust.file",
        paths.jobs().resolve(SecureDirectory.AUTHORITY).toString());
    return keys;
  }

  private static String lines(String comment, Map<String, String> keys) {
    StringBuilder text = new StringBuilder(comment);
    keys.forEach((key, value) -> text.append(key).append(' ').append(value).append('\n'));
    return text.toString();
  }

  private String xml(Map<String, String> keys) {
    StringBuilder text =
        new StringBuilder(
            """
            <?xml version="1.0"?>
            <!-- MapReduce jobs of the user %s. The client jar must be on the class path (docs/mapreduce.md).
                 The submitting host needs both files, every other host with tasks only the authority. -->
            <configuration>
            """
                .formatted(user));
    keys.forEach(
        (key, value) ->
            text.append("  <property><name>")
                .append(key)
                .append("</name><value>")
                .append(value.replace("&", "&amp;").replace("<", "&lt;"))
                .append("</value></property>\n"));
    return text.append("</configuration>\n").toString();
  }
}
