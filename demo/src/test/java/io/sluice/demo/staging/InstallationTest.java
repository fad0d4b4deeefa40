package io.sluice.demo.staging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class InstallationTest {
  @TempDir private Path directory;

  @Test
  void recognizesSparkVersionsByTheirJars() throws Exception {
    Files.createDirectories(directory.resolve("jars"));
    Path core = Files.createFile(directory.resolve("jars/spark-core_2.13-3.5.9.jar"));

    SparkHome spark = SparkHome.of(directory);

    assertThat(spark.scala()).isEqualTo("2.13");
    assertThat(spark.client()).isEqualTo("3.5_2.13");
    assertThat(spark.jars()).isEqualTo(directory.resolve("jars"));
    Files.move(core, directory.resolve("jars/spark-core_2.13-4.2.0.jar"));
    assertThat(SparkHome.of(directory).version()).isEqualTo("4.2");
    assertThat(SparkHome.of(directory).client()).isEqualTo("4_2.13");
  }

  @Test
  void refusesAnUnsupportedSparkVersion() throws IOException {
    Files.createDirectories(directory.resolve("jars"));
    Files.createFile(directory.resolve("jars/spark-core_2.12-3.3.0.jar"));

    assertThatThrownBy(() -> SparkHome.of(directory))
        .isInstanceOf(DemoException.class)
        .hasMessageContaining("is not Spark 3.5 or 4")
        .hasMessageContaining("spark-core_2.12-3.3.0.jar");
    assertThatThrownBy(() -> SparkHome.of(directory.resolve("nothing")))
        .isInstanceOf(DemoException.class)
        .hasMessageContaining("--spark-home");
  }

  @Test
  void stagesAHomeThatExecutorsMayWriteTo() throws Exception {
    Path home = Files.createDirectories(directory.resolve("spark"));
    Files.createDirectories(home.resolve("jars"));
    Files.createFile(home.resolve("jars/spark-core_2.12-3.5.9.jar"));
    Path staged = directory.resolve("run/spark-home");

    Map<String, String> environment = SparkHome.of(home).stage(staged);

    assertThat(environment)
        .containsEntry("SPARK_HOME", staged.toString())
        .containsEntry("SPARK_SCALA_VERSION", "2.12");
    assertThat(staged.resolve("jars/spark-core_2.12-3.5.9.jar")).exists();
    assertThat(staged.resolve("RELEASE")).exists();
    Scratch.remove(directory.resolve("run"));
    assertThat(staged).doesNotExist();
    assertThat(home.resolve("jars/spark-core_2.12-3.5.9.jar")).exists();
  }

  @Test
  void namesTheMissingPartOfHadoop() throws Exception {
    Path jar = Files.createFile(directory.resolve("hadoop-common.jar"));
    Path jars = Files.writeString(directory.resolve("jars.txt"), jar + ":" + jar + "\n");
    Properties system = new Properties();
    for (String key : List.of("sluice.jars", "sluice.clients", "sluice.demo.jars")) {
      system.setProperty(key, directory.toString());
    }
    assertThatThrownBy(() -> HadoopParts.of(system)).hasMessageContaining("no Hadoop");

    system.setProperty("sluice.hadoop.jars", jars.toString());
    Files.createDirectories(directory.resolve("mapreduce"));
    assertThatThrownBy(() -> HadoopParts.of(system))
        .isInstanceOf(DemoException.class)
        .hasMessageContaining("sluice-demo-mapreduce-*.jar");
    Files.createFile(directory.resolve("mapreduce/sluice-demo-mapreduce-1.0.jar"));
    assertThatThrownBy(() -> HadoopParts.of(system)).hasMessageContaining("sluice-client-mr-*.jar");
    Files.createFile(directory.resolve("sluice-client-mr-1.0.jar"));

    assertThat(HadoopParts.of(system))
        .isEqualTo(
            new HadoopParts(
                jars,
                directory.resolve("mapreduce/sluice-demo-mapreduce-1.0.jar"),
                directory.resolve("sluice-client-mr-1.0.jar")));
    Files.delete(jar);
    assertThatThrownBy(() -> HadoopParts.of(system))
        .isInstanceOf(DemoException.class)
        .hasMessageContaining("hadoop-common.jar, which does not exist");
  }

  @Test
  void namesTheMissingPartOfTheInstallation() throws Exception {
    Properties system = new Properties();
    system.setProperty("sluice.jars", directory.toString());
    system.setProperty("sluice.clients", directory.toString());
    assertThatThrownBy(() -> Installation.of(system))
        .isInstanceOf(DemoException.class)
        .hasMessageContaining("sluice.demo.jars");

    system.setProperty("sluice.demo.jars", directory.toString());
    Installation installation = Installation.of(system);
    SparkHome spark = new SparkHome(directory, "3.5", "2.12");
    assertThatThrownBy(() -> installation.clientJar(spark))
        .isInstanceOf(DemoException.class)
        .hasMessageContaining("sluice-client-spark-3.5_2.12-*.jar");

    Files.createFile(directory.resolve("sluice-client-spark-3.5_2.12-1.0.jar"));
    Files.createFile(directory.resolve("sluice-client-spark-3.5_2.12-1.0-sources.jar"));
    Files.createFile(directory.resolve("sluice-client-spark-3.5_2.13-1.0.jar"));
    Files.createFile(directory.resolve("sluice-client-spark-4_2.13-1.0.jar"));
    assertThat(installation.clientJar(spark)).hasFileName("sluice-client-spark-3.5_2.12-1.0.jar");
    assertThat(installation.clientJar(new SparkHome(directory, "4.2", "2.13")))
        .hasFileName("sluice-client-spark-4_2.13-1.0.jar");
  }
}
