package io.sluice.spark.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientJarTest {
  private static final ClientJar SPARK_3 = new ClientJar("sluice-client-spark-3.5_2.12");

  @ParameterizedTest
  @CsvSource({
    "3.3.0, 2.12.15, sluice-client-spark-3.5_2.12",
    "3.3.2.3.3.7180.0-274, 2.12.15, sluice-client-spark-3.5_2.12",
    "3.4.4, 2.13.8, sluice-client-spark-3.5_2.13",
    "3.5.1-amzn-0, 2.12.18, sluice-client-spark-3.5_2.12",
    "4.0.0-preview1, 2.13.14, sluice-client-spark-4_2.13",
    "4.2.0, 2.13.16, sluice-client-spark-4_2.13",
    "5.0.0-SNAPSHOT, 2.13.17, sluice-client-spark-4_2.13",
  })
  void eachVersionHasOneJar(String spark, String scala, String name) {
    assertThat(new ClientJar(name).problem(spark, scala, "17")).isEmpty();
    assertThat(new ClientJar("other").problem(spark, scala, "17"))
        .hasValueSatisfying(
            problem ->
                assertThat(problem).contains("other.jar", name + ".jar").doesNotContain("\n"));
  }

  @Test
  void aProblemNamesAllVersionsAndTheRightJar() {
    assertThat(SPARK_3.problem("4.0.4", "2.13.16", "17"))
        .contains(
            "sluice-client-spark-3.5_2.12.jar does not support Spark 4.0.4 with Scala 2.13.16"
                + " (Java 17): replace it by sluice-client-spark-4_2.13.jar on the class path");
  }

  @ParameterizedTest
  @CsvSource({"3.2.4, 2.12.15", "2.4.8, 2.11.12", "3.5.1, 2.11.12", "4.0.0, 2.12.18"})
  void versionsWithoutAJarAreNamed(String spark, String scala) {
    assertThat(SPARK_3.problem(spark, scala, "1.8"))
        .hasValueSatisfying(
            problem ->
                assertThat(problem).contains(spark, scala, "1.8", "supports Spark 3.3 to 3.5"));
  }

  @Test
  void anUnknownVersionIsNoProblem() {
    assertThat(SPARK_3.problem("master", "2.12.18", "17")).isEqualTo(Optional.empty());
  }

  @Test
  void thisJarKnowsItsName() {
    assertThat(ClientJar.current().name()).matches("sluice-client-spark-[0-9.]+_2\\.1[23]");
    assertThat(SparkApis.current()).isNotNull();
  }
}
