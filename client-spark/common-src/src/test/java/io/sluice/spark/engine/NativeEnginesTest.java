package io.sluice.spark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

/** The class path of this test has no engine, as an application with Comet in spark.jars. */
class NativeEnginesTest {
  private final SparkConf conf = new SparkConf(false);
  private final List<String> warnings = new ArrayList<>();

  @Test
  void looksForNoEngineIfTheApplicationConfiguresNone() {
    conf.set("spark.plugins", "com.example.Plugin");

    assertThat(NativeEngines.of(conf, refusing(), warnings::add)).isEmpty();
    assertThat(warnings).isEmpty();
  }

  @Test
  void warnsOnceAboutAnEngineThatIsNotOnTheClassPath() {
    conf.set("spark.plugins", "com.example.Plugin, org.apache.spark.CometPlugin");
    assertThat(NativeEngines.of(conf, warnings::add)).isEmpty();
    assertThat(warnings).hasSize(1).allMatch(one -> one.startsWith("Comet "));

    conf.remove("spark.plugins");
    conf.set("spark.sql.extensions", "org.apache.comet.CometSparkSessionExtensions");
    assertThat(NativeEngines.of(conf, warnings::add)).isEmpty();
    assertThat(warnings).hasSize(2);
  }

  @Test
  void warnsAboutEnginesWhoseExchangesItDoesNotSupport() {
    conf.set("spark.plugins", "org.apache.gluten.GlutenPlugin")
        .set("spark.sql.extensions", "org.apache.spark.sql.auron.AuronSparkSessionExtension");

    assertThat(NativeEngines.of(conf, refusing(), warnings::add)).isEmpty();
    assertThat(warnings).hasSize(2);
    assertThat(warnings.get(0)).startsWith("Gluten ");
    assertThat(warnings.get(1)).startsWith("Auron");
  }

  private static ClassLoader refusing() {
    return new ClassLoader(null) {
      @Override
      protected Class<?> findClass(String name) {
        throw new AssertionError("no class is needed: " + name);
      }
    };
  }
}
