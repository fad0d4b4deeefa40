package io.sluice.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigKeyTest {

  @ParameterizedTest
  @CsvSource({
    "0,0", "1048576,1048576", "64MiB,67108864", "64mb,67108864", "1g,1073741824",
    "140g,150323855360", "512k,524288", "3k,3072", "1.5GiB,1610612736", "2 t,2199023255552",
    "1p,1125899906842624", "-1,-1", "7b,7"
  })
  void readsSizes(String text, long bytes) {
    assertThat(DataSize.parse(text).bytes()).isEqualTo(bytes);
    assertThat(DataSize.parse(new DataSize(bytes).toString()).bytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "g", "1x", "1 g b", "1e9", "0x10", "1.1", "99999999p", "1,5g"})
  void refusesInvalidSizes(String text) {
    assertThatThrownBy(() -> DataSize.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + text + "\"");
  }

  @ParameterizedTest
  @CsvSource({"1536,1.5 KiB", "100,100 B", "1073741824,1.0 GiB", "214748364800,200 GiB"})
  void roundsSizesForDisplay(long bytes, String text) {
    assertThat(new DataSize(bytes).toRoundedText()).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "10s,10000",
    "500ms,500",
    "2m,120000",
    "2min,120000",
    "1h,3600000",
    "1d,86400000",
    "60000,60000",
    "0,0",
    "-1,-1",
    "5 sec,5000"
  })
  void readsTimes(String text, long ms) {
    assertThat(DurationText.parseMs(text, TimeUnit.MILLISECONDS)).isEqualTo(ms);
    assertThat(DurationText.parseMs(DurationText.print(ms), TimeUnit.MILLISECONDS)).isEqualTo(ms);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "s", "1y", "1.5s", "99999999999999999999", "9999999999999999d"})
  void refusesInvalidDurations(String text) {
    assertThatThrownBy(() -> DurationText.parseMs(text, TimeUnit.SECONDS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + text + "\"");
  }

  @Test
  void theNameOfAKeyDeterminesTheUnitOfAPlainNumber() {
    assertThat(duration("rss.server.pending.event.timeout.sec").parse("600")).isEqualTo(600_000);
    assertThat(duration("rss.coordinator.dynamicClientConf.updateIntervalSec").parse("120"))
        .isEqualTo(120_000);
    assertThat(duration("rss.client.rpc.timeout.ms").parse("600")).isEqualTo(600);
    assertThat(duration("rss.server.pending.event.timeout.sec").parse("5ms")).isEqualTo(5);
  }

  private static ConfigKey<Long> duration(String name) {
    return ConfigKey.durationMs(name).doc("A time.").build();
  }

  @ParameterizedTest
  @CsvSource({"host:1,host,1", "10.0.0.1:65535,10.0.0.1,65535", "[2001:db8::1]:9,2001:db8::1,9"})
  void readsAddresses(String text, String host, int port) {
    assertThat(HostPort.parse(text)).isEqualTo(new HostPort(host, port));
    assertThat(HostPort.parse(text)).hasToString(text);
  }

  @Test
  void anAddressHasOneForm() {
    assertThat(HostPort.parse("[2001:DB8:0::7]:9")).hasToString("[2001:db8::7]:9");
    assertThat(new HostPort("[::1]", 9)).isEqualTo(HostPort.parse("[0:0:0:0:0:0:0:1]:9"));
    assertThatThrownBy(() -> HostPort.parse("[fe80::1%eth0]:9"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("IPv6 address of a single network");
    assertThatThrownBy(() -> HostPort.parse("[2001::db8::7]:9"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not a host");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"host", ":1", "host:", "host:65536", "host:-1", "fe80::1:9", "host:x", ""})
  void refusesInvalidAddresses(String text) {
    assertThatThrownBy(() -> HostPort.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected host:port");
  }

  @Test
  void limitsNameTheExpectedValues() {
    ConfigKey<Long> key =
        ConfigKey.dataSize("rss.size")
            .atLeast(1024L)
            .atMost(4096L)
            .alsoAllow(-1L, "no limit")
            .check(size -> Long.bitCount(size) == 1, "a power of two")
            .doc("A size.")
            .build();

    assertThat(key.parse("-1")).isEqualTo(-1);
    assertThat(key.parse("2k")).isEqualTo(2048);
    assertThatThrownBy(() -> key.parse("1"))
        .hasMessage("1 is too small; expected at least 1KiB, or -1 (no limit)");
    assertThatThrownBy(() -> key.parse("1m"))
        .hasMessage("1MiB is too large; expected at most 4KiB, or -1 (no limit)");
    assertThatThrownBy(() -> key.parse("3k"))
        .hasMessage("3KiB is not allowed; expected: a power of two");
    assertThat(key.valueForm()).isEqualTo("size, 1KiB to 4KiB; -1: no limit; a power of two");
  }

  @Test
  void eachTypeRefusesInvalidValues() {
    assertThatThrownBy(() -> ConfigKey.integer("rss.a").doc("d").build().parse("1.5"))
        .hasMessage("\"1.5\" is not a whole number");
    assertThatThrownBy(() -> ConfigKey.longNumber("rss.a").doc("d").build().parse("l"))
        .hasMessage("\"l\" is not a whole number");
    assertThatThrownBy(() -> ConfigKey.bool("rss.a").doc("d").build().parse("yes"))
        .hasMessage("\"yes\" is not true or false");
    assertThatThrownBy(() -> ConfigKey.decimal("rss.a").doc("d").build().parse("NaN"))
        .hasMessage("\"NaN\" is not a finite number");
    assertThatThrownBy(() -> ConfigKey.decimal("rss.a").doc("d").build().parse("much"))
        .hasMessage("\"much\" is not a number");
    assertThatThrownBy(() -> ConfigKey.percent("rss.a").doc("d").build().parse("101"))
        .hasMessage("101 is too large; expected at most 100");
    assertThatThrownBy(
            () -> ConfigKey.enumeration("rss.a", TimeUnit.class).doc("d").build().parse("WEEKS"))
        .hasMessageStartingWith("\"WEEKS\" is not one of NANOSECONDS, ");
    assertThat(ConfigKey.strings("rss.a").doc("d").build().parse(" a, ,b,"))
        .isEqualTo(List.of("a", "b"));
  }

  @Test
  void anInvalidDeclarationIsRefused() {
    assertThatThrownBy(() -> ConfigKey.string("server.port").doc("d").build())
        .hasMessage("declaration of server.port: the name of a key must be rss.area.name");
    assertThatThrownBy(() -> ConfigKey.string("rss.a").build())
        .hasMessageEndingWith("a key must have a doc text");
    assertThatThrownBy(() -> ConfigKey.string("rss.a").atLeast("b"))
        .hasMessageEndingWith("values of this type have no order");
    assertThatThrownBy(() -> ConfigKey.integer("rss.a").defaultValue(0).atLeast(1).doc("d").build())
        .hasMessageContaining("too small");
    assertThatThrownBy(() -> ConfigKey.integer("rss.a").defaultValue(1).required().doc("d").build())
        .hasMessageEndingWith("a required key must not have a default");
  }

  @Test
  void aSchemaRefusesTheSameNameTwice() {
    ConfigKey<String> key = ConfigKey.string("rss.a").deprecatedName("rss.b").doc("d").build();

    assertThatThrownBy(() -> ConfigSchema.builder("s").keys(key).ignored("rss.b", "why").build())
        .hasMessage("schema s declares rss.b twice");
    assertThatThrownBy(
            () -> ConfigSchema.builder("s").ignored("rss.old", "no use", "rss.missing").build())
        .hasMessage("schema s: rss.old has a replacement that is not a key: rss.missing");
  }

  @Test
  void readsIgnoredKeysOfAFile() {
    ConfigSchema schema =
        ConfigSchema.builder("s").ignoredIn(ConfigKeyTest.class, "ignored-keys.txt").build();

    assertThat(schema.ignored())
        .containsExactly(
            new ConfigSchema.Ignored("rss.old", "no use", ""),
            new ConfigSchema.Ignored("rss.older.*", "no use either", "the environment"));
    assertThatThrownBy(
            () -> ConfigSchema.builder("s").ignoredIn(ConfigKeyTest.class, "wrong-keys.txt"))
        .hasMessage(
            "wrong-keys.txt: expected \"key | why\" or \"key | why | replacement\", found:"
                + " rss.old, no use");
  }

  @Test
  void findsTheNearestNameOnlyWhenItIsNear() {
    assertThat(SpellingDistance.between("port", "prot")).isEqualTo(1);
    assertThat(SpellingDistance.between("kitten", "sitting")).isEqualTo(3);
    assertThat(SpellingDistance.between("", "abc")).isEqualTo(3);
    assertThat(SpellingDistance.between("BasePath", "basepath")).isZero();
    List<String> known = List.of("rss.storage.basePath", "rss.storage.type");
    assertThat(SpellingDistance.nearest("rss.storage.basepaths", known))
        .contains("rss.storage.basePath");
    assertThat(SpellingDistance.nearest("rss.dashboard.enabled", known)).isEmpty();
  }

  @Test
  void docsShowEveryKeyAndEscapeTheTable() {
    ConfigKey<String> key =
        ConfigKey.string("rss.a")
            .defaultText("the host's address")
            .deprecatedName("rss.old")
            .secret()
            .doc("One | two\nthree.")
            .build();
    ConfigKey<Integer> needed = ConfigKey.integer("rss.n").required().doc("N.").build();
    ConfigSchema schema =
        ConfigSchema.builder("client")
            .title("Client")
            .intro("About.")
            .shownPrefix("spark.")
            .keys(key, needed)
            .ignored("rss.i", "no use", "rss.a")
            .removed("rss.r", "set rss.a")
            .build();

    assertThat(ConfigDocs.render("# Configuration\n", List.of(schema)))
        .isEqualTo(
            """
            # Configuration

            ## Client

            About.

            | key | default | value | meaning |
            |---|---|---|---|
            | <a id="spark.rss.a"></a>`spark.rss.a` | the host's address | text; never printed | One \\| two three. Earlier name: `spark.rss.old`. |
            | <a id="spark.rss.n"></a>`spark.rss.n` | (required) | whole number | N. |

            Keys without effect, accepted with one line in the log:

            | key | why | use instead |
            |---|---|---|
            | `spark.rss.i` | no use | rss.a |

            Removed keys, which stop the start with an error:

            | key | instead |
            |---|---|
            | `spark.rss.r` | set rss.a |
            """);
  }
}
