package io.sluice.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigReaderTest {
  enum Kind {
    GRPC,
    GRPC_NETTY
  }

  static final ConfigKey<List<HostPort>> QUORUM =
      ConfigKey.hostPorts("rss.coordinator.quorum")
          .required()
          .check(list -> !list.isEmpty(), "at least one address")
          .doc("Coordinators.")
          .build();
  static final ConfigKey<Long> CAPACITY =
      ConfigKey.dataSize("rss.server.buffer.capacity")
          .defaultValue(-1L)
          .alsoAllow(-1L, "a share of memory")
          .atLeast(DataSize.ofMib(1).bytes())
          .atMost(DataSize.ofGib(100).bytes())
          .doc("Bytes accepted but not yet written.")
          .build();
  static final ConfigKey<Long> INTERVAL =
      ConfigKey.durationMs("rss.server.heartbeat.interval")
          .defaultValue(10_000L)
          .atLeast(1L)
          .deprecatedName("rss.server.heartbeat.period")
          .doc("Time between heartbeats.")
          .build();
  static final ConfigKey<Kind> TYPE =
      ConfigKey.enumeration("rss.rpc.server.type", Kind.class)
          .defaultValue(Kind.GRPC_NETTY)
          .doc("Transport.")
          .build();
  static final ConfigKey<Double> LOW =
      ConfigKey.percent("rss.server.low").defaultValue(25.0).doc("Low.").build();
  static final ConfigKey<Double> HIGH =
      ConfigKey.percent("rss.server.high").defaultValue(75.0).doc("High.").build();
  static final ConfigKey<String> PASSWORD =
      ConfigKey.string("rss.server.password").secret().doc("Secret.").build();
  static final ConfigKey<Integer> PIN =
      ConfigKey.integer("rss.server.pin").secret().atLeast(1000).doc("Secret number.").build();
  static final ConfigKey<Boolean> EPOLL =
      ConfigKey.bool("rss.server.netty.epoll.enable").defaultValue(false).doc("Use epoll.").build();
  static final ConfigKey<Integer> PORT =
      ConfigKey.integer("rss.server.netty.port")
          .defaultValue(17000)
          .atLeast(0)
          .atMost(65535)
          .doc("Port.")
          .build();
  static final ConfigSchema SCHEMA =
      ConfigSchema.builder("server")
          .keys(QUORUM, CAPACITY, INTERVAL, TYPE, LOW, HIGH, PASSWORD, PIN, EPOLL, PORT)
          .ignored("rss.rpc.executor.size", "requests run on event loops")
          .ignored("rss.server.hadoop.*", "there is no DFS storage", "rss.server.buffer.capacity")
          .removed("rss.server.commit.timeout", "nothing is committed, delete the line")
          .rule(
              set ->
                  set.get(LOW) < set.get(HIGH)
                      ? Optional.empty()
                      : Optional.of("rss.server.low must be below rss.server.high"))
          .build();

  @TempDir Path dir;

  @Test
  void readsBothSeparatorsCommentsAndUnits() throws IOException {
    Path file =
        write(
            "\uFEFF# a comment",
            "",
            "rss.coordinator.quorum  one:1, [::1]:2 ",
            "rss.server.buffer.capacity=64MiB",
            "rss.server.heartbeat.interval = 2m",
            "rss.rpc.server.type\tgrpc-netty",
            "rss.server.high 80%");

    ConfigSet set = ConfigReader.of(SCHEMA).file(file).read();

    assertThat(set.get(QUORUM)).containsExactly(new HostPort("one", 1), new HostPort("::1", 2));
    assertThat(set.get(CAPACITY)).isEqualTo(64L << 20);
    assertThat(set.get(INTERVAL)).isEqualTo(120_000L);
    assertThat(set.get(TYPE)).isEqualTo(Kind.GRPC_NETTY);
    assertThat(set.get(HIGH)).isEqualTo(80.0);
    assertThat(set.get(LOW)).isEqualTo(25.0);
    assertThat(set.find(PASSWORD)).isEmpty();
    assertThat(set.isSet(LOW)).isFalse();
    assertThat(set.isSet(HIGH)).isTrue();
    assertThat(set.notices()).isEmpty();
  }

  @Test
  void reportsEveryProblemWithItsLocationAndTheExpectedForm() throws IOException {
    Path file =
        write(
            "rss.server.nety.port 17000",
            "rss.server.buffer.capacity 12x",
            "spark.executor.cores 2",
            "rss.server.heartbeat.interval",
            "rss.server.commit.timeout 10s",
            "= 5");
    ConfigReader reader =
        ConfigReader.of(SCHEMA)
            .file(file)
            .file(dir.resolve("missing.conf"))
            .file(dir)
            .options("-D", List.of("nonsense", "rss.server.netty.port=70000"));

    ConfigException failure = catchThrowableOfType(ConfigException.class, reader::read);

    assertThat(failure.problems())
        .containsExactlyInAnyOrder(
            file + ":1: unknown key rss.server.nety.port; did you mean rss.server.netty.port?",
            file
                + ":2: rss.server.buffer.capacity: \"12x\" is not a size; expected for example"
                + " 64MiB, 1g, 512k or 1048576",
            file + ":3: unknown key spark.executor.cores; keys begin with rss.",
            file + ":4: \"rss.server.heartbeat.interval\" has no value; write key value",
            file
                + ":5: rss.server.commit.timeout is no longer supported; nothing is committed,"
                + " delete the line",
            file + ":6: \"\" has no value; write key value",
            dir.resolve("missing.conf") + ": no such file; expected a file of \"key value\" lines",
            dir + ": is a directory; expected a file of \"key value\" lines",
            "-D nonsense: expected key=value",
            "-D rss.server.netty.port: rss.server.netty.port: 70000 is too large; expected at most"
                + " 65535",
            "rss.coordinator.quorum is not set and has no default; expected comma-separated"
                + " host:port; at least one address");
    assertThat(failure.getMessage()).startsWith("11 problems in the configuration:\n  ");
  }

  @Test
  void oneProblemIsTheWholeMessage() {
    assertThatThrownBy(
            () -> ConfigSet.of(SCHEMA, Map.of("rss.coordinator.quorum", "a:1", "rss.zzzzz", "1")))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "configuration: unknown key rss.zzzzz; for the keys of the server see"
                + " docs/configuration.md");
  }

  @Test
  void anEmptyListDoesNotSatisfyARequiredKey() {
    assertThatThrownBy(() -> ConfigSet.of(SCHEMA, Map.of("rss.coordinator.quorum", " , ")))
        .hasMessage(
            "configuration: rss.coordinator.quorum: an empty value is not allowed; expected: at"
                + " least one address");
  }

  @Test
  void refusesAFileThatIsNotText() throws IOException {
    Path file = dir.resolve("binary.conf");
    Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});

    assertThatThrownBy(() -> ConfigReader.of(SCHEMA).file(file).read())
        .hasMessageContaining(file + ": is not UTF-8 text");
  }

  @Test
  void checksRulesOverSeveralKeys() {
    assertThatThrownBy(
            () ->
                ConfigSet.of(
                    SCHEMA, Map.of("rss.coordinator.quorum", "a:1", "rss.server.low", "75")))
        .hasMessage("rss.server.low must be below rss.server.high");
  }

  @Test
  void laterSourcesOverrideWithoutANotice() throws IOException {
    Path file = write("rss.coordinator.quorum a:1", "rss.server.netty.port 1");

    ConfigSet set =
        ConfigReader.of(SCHEMA).file(file).options("-D", List.of("rss.server.netty.port=2")).read();

    assertThat(set.get(PORT)).isEqualTo(2);
    assertThat(set.notices()).isEmpty();
  }

  @Test
  void namesAKeySetTwiceInOneFile() throws IOException {
    Path file =
        write("rss.coordinator.quorum a:1", "rss.server.netty.port 1", "rss.server.netty.port 2");

    ConfigSet set = ConfigReader.of(SCHEMA).file(file).read();

    assertThat(set.get(PORT)).isEqualTo(2);
    assertThat(set.notices())
        .containsExactly(
            file
                + ":3: rss.server.netty.port is set more than once; using the value of"
                + " rss.server.netty.port there");
  }

  @Test
  void aDeprecatedNameWarnsAndTheCurrentNameWins() throws IOException {
    Path alone = write("rss.coordinator.quorum a:1", "rss.server.heartbeat.period 7");
    ConfigSet set = ConfigReader.of(SCHEMA).file(alone).read();
    assertThat(set.get(INTERVAL)).isEqualTo(7);
    assertThat(set.notices())
        .containsExactly(
            alone
                + ":2: rss.server.heartbeat.period is deprecated; write"
                + " rss.server.heartbeat.interval");

    Path both =
        write(
            "rss.coordinator.quorum a:1",
            "rss.server.heartbeat.interval 8",
            "rss.server.heartbeat.period 7");
    set = ConfigReader.of(SCHEMA).file(both).read();
    assertThat(set.get(INTERVAL)).isEqualTo(8);
    assertThat(set.notices())
        .hasSize(2)
        .last()
        .asString()
        .endsWith("using the value of " + both + ":2");
  }

  @Test
  void passesOnAFamilyWithoutItsPrefix() {
    ConfigSchema.Family family =
        new ConfigSchema.Family("rss.server.library.", "Settings of the library.");
    ConfigKey<String> own = ConfigKey.string("rss.server.library.path").doc("Path.").build();
    ConfigSchema schema = ConfigSchema.builder("server").keys(own).passedOn(family).build();
    ConfigSet set =
        ConfigSet.of(
            schema,
            Map.of(
                "rss.server.library.path", "/p",
                "rss.server.library.a.b", "1",
                "rss.server.library.c", "2"));
    assertThat(set.passedOn(family)).isEqualTo(Map.of("a.b", "1", "c", "2"));
    assertThat(set.get(own)).isEqualTo("/p");
    assertThat(ConfigSet.of(schema, Map.of()).passedOn(family)).isEmpty();
    assertThatThrownBy(() -> ConfigSet.of(schema, Map.of("rss.server.library.", "x")))
        .isInstanceOf(ConfigException.class);
    assertThat(ConfigDocs.render("", List.of(schema)))
        .contains("| `rss.server.library.*` |  | text; never printed | Settings of the library. |");
  }

  @Test
  void ignoredKeysGiveOneNotice() {
    ConfigSet set =
        ConfigSet.of(
            SCHEMA,
            Map.of(
                "rss.coordinator.quorum", "a:1",
                "rss.rpc.executor.size", "1000",
                "rss.server.hadoop.dfs.replication", "2"));

    assertThat(set.notices())
        .containsExactly(
            "configuration: rss.rpc.executor.size has no effect: requests run on event loops",
            "configuration: rss.server.hadoop.dfs.replication has no effect: there is no DFS"
                + " storage; use rss.server.buffer.capacity");
  }

  @Test
  void engineKeysHaveTheirPrefixAndUnknownOnesCauseNotices() {
    ConfigSet set =
        ConfigReader.of(SCHEMA)
            .enginePrefix("spark.")
            .values(
                "SparkConf",
                Map.of(
                    "spark.rss.coordinator.quorum", "a:1",
                    "spark.rss.server.netty.prot", "5",
                    "spark.executor.cores", "2",
                    "rss.server.netty.port", "9"))
            .read();

    assertThat(set.get(QUORUM)).containsExactly(new HostPort("a", 1));
    assertThat(set.get(PORT)).isEqualTo(17000);
    assertThat(set.notices())
        .containsExactly(
            "SparkConf: unknown key spark.rss.server.netty.prot; did you mean"
                + " spark.rss.server.netty.port?");
  }

  @Test
  void engineProblemsNameTheKeyAsTheUserWroteIt() {
    ConfigReader reader =
        ConfigReader.of(SCHEMA)
            .enginePrefix("spark.")
            .values("SparkConf", Map.of("spark.rss.server.netty.port", "x"));

    assertThat(catchThrowableOfType(ConfigException.class, reader::read).problems())
        .containsExactlyInAnyOrder(
            "SparkConf: spark.rss.server.netty.port: \"x\" is not a whole number",
            "spark.rss.coordinator.quorum is not set and has no default; expected comma-separated"
                + " host:port; at least one address");
  }

  @Test
  void entriesNameTheSourceOfEachValue(@TempDir Path directory) throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("server.conf"),
            "# comment\nrss.coordinator.quorum a:1\nrss.server.netty.port 1\n");

    List<ConfigEntry> entries =
        ConfigReader.of(SCHEMA)
            .file(file)
            .options("-D", List.of("rss.server.netty.port=2"))
            .read()
            .entries();

    assertThat(entries)
        .contains(
            new ConfigEntry("rss.coordinator.quorum", "a:1", file + ":2"),
            new ConfigEntry("rss.server.netty.port", "2", "-D rss.server.netty.port"),
            new ConfigEntry("rss.server.netty.epoll.enable", "false", "default"),
            new ConfigEntry("rss.server.password", "", "default"))
        .extracting(ConfigEntry::key)
        .containsExactlyElementsOf(SCHEMA.keys().stream().map(ConfigKey::name).toList());
  }

  @Test
  void entriesHideSecretsAndTheValuesOfFamilies() {
    ConfigKey<String> store = ConfigKey.string("rss.store").doc("Store.").build();
    ConfigSchema schema =
        ConfigSchema.builder("server")
            .keys(PASSWORD, store)
            .passedOn(new ConfigSchema.Family("rss.hadoop.", "Keys of Hadoop."))
            .build();
    Map<String, String> values =
        Map.of(
            "rss.server.password", "hunter2",
            "rss.store", "s3a://key:hunter2@bucket/x",
            "rss.hadoop.fs.s3a.secret.key", "hunter2");

    assertThat(ConfigSet.of(schema, values).entries())
        .containsExactly(
            new ConfigEntry("rss.server.password", "(hidden)", "configuration"),
            new ConfigEntry("rss.store", "s3a://(hidden)@bucket/x", "configuration"),
            new ConfigEntry("rss.hadoop.fs.s3a.secret.key", "(hidden)", "set"));
  }

  @Test
  void neverPrintsASecret() {
    ConfigSet set =
        ConfigSet.of(
            SCHEMA, Map.of("rss.coordinator.quorum", "a:1", "rss.server.password", "hunter2"));
    assertThat(set.get(PASSWORD)).isEqualTo("hunter2");
    assertThat(set.toString())
        .contains("rss.server.password=(hidden)")
        .contains("rss.coordinator.quorum=a:1")
        .doesNotContain("hunter2");

    for (String secret : List.of("4711x", "47")) {
      assertThatThrownBy(
              () ->
                  ConfigSet.of(
                      SCHEMA, Map.of("rss.coordinator.quorum", "a:1", "rss.server.pin", secret)))
          .hasMessageContaining("rss.server.pin")
          .hasMessageNotContaining(secret)
          .hasNoCause();
    }
  }

  @Test
  void refusesAKeyOfAnotherSchema() {
    ConfigSet set = ConfigSet.of(SCHEMA, Map.of("rss.coordinator.quorum", "a:1"));
    ConfigKey<String> foreign = ConfigKey.string("rss.other").doc("Elsewhere.").build();

    assertThatThrownBy(() -> set.get(foreign)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> set.get(PASSWORD)).isInstanceOf(IllegalStateException.class);
  }

  private Path write(String... lines) throws IOException {
    return Files.write(dir.resolve("server.conf"), List.of(lines));
  }
}
