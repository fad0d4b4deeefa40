package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.control.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the launcher script with fake {@code java} and {@code mvn} commands that print their
 * arguments.
 */
@Timeout(180)
class LauncherTest {
  private static final String TPCDS_QUERIES = "demo/target/tpcds-queries/spark-sql-tests.jar";
  private static final String COMET_JAR = "client-spark/comet/target/comet-jar.txt";

  private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");
  private static final Instant LATER = LONG_AGO.plusSeconds(3600);

  @TempDir Path dir;
  private Path tools;
  private Path javaHome;

  private record Result(int exitCode, List<String> lines) {
    String text() {
      return String.join("\n", lines);
    }
  }

  @BeforeEach
  void makeTools() throws IOException {
    dir = dir.toRealPath();
    tools = Files.createDirectory(dir.resolve("tools"));
    javaHome = Files.createDirectories(dir.resolve("jdk/bin")).getParent();
    script(
        javaHome.resolve("bin/java"),
        "if [ \"$1\" = -version ]; then echo 'openjdk version \"17.0.1\"' >&2; exit 0; fi",
        "echo \"JAVA $0\"; echo \"ARENAS $MALLOC_ARENA_MAX\"; printf 'ARG %s\\n' \"$@\"");
    script(javaHome.resolve("bin/javac"), "exit 0");
  }

  private static void script(Path file, String... lines) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
    executable(file);
  }

  private static void executable(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Path distribution() throws IOException {
    Path home = Files.createDirectories(dir.resolve("my sluice"));
    makeJars(home);
    copyLauncher(home.resolve("bin/sluice"));
    return home;
  }

  private static void makeJars(Path home) throws IOException {
    Path jars = Files.createDirectories(home.resolve("jars"));
    for (String name : List.of("b.jar", "Z.jar", "a-1.jar", "README")) {
      Files.writeString(jars.resolve(name), "x");
    }
  }

  /** Class path of a distribution, in the order of bytes. */
  private static String classPath(Path home) {
    return home + "/jars/Z.jar:" + home + "/jars/a-1.jar:" + home + "/jars/b.jar";
  }

  private Path checkout() throws IOException {
    Path home = Files.createDirectories(dir.resolve("checkout"));
    copyLauncher(home.resolve("sluice"));
    file(home.resolve("pom.xml"), LONG_AGO);
    file(home.resolve("common/src/main/java/A.java"), LONG_AGO);
    Files.setLastModifiedTime(home.resolve("sluice"), FileTime.from(LONG_AGO));
    return home;
  }

  private void built(Path checkout, Instant when) throws IOException {
    file(checkout.resolve("dist/target/home/RELEASE"), when);
    file(checkout.resolve("demo/target/spark-home/RELEASE"), when);
    file(checkout.resolve("demo/hadoop-home/target/jars.txt"), when);
    file(checkout.resolve(TPCDS_QUERIES), when);
    file(checkout.resolve(COMET_JAR), when);
    makeJars(checkout.resolve("dist/target/home"));
  }

  private static void file(Path file, Instant modified) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "x");
    Files.setLastModifiedTime(file, FileTime.from(modified));
  }

  private static void copyLauncher(Path to) throws IOException {
    Files.createDirectories(to.getParent());
    Files.copy(Path.of("../sluice"), to);
    executable(to);
  }

  private Result run(Path launcher, Map<String, String> environment, String... args)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(args));
    Path output = Files.createTempFile(dir, "out", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(dir.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", tools + ":/usr/local/bin:/usr/bin:/bin");
    builder.environment().put("JAVA_HOME", javaHome.toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Result(process.exitValue(), Files.readAllLines(output));
  }

  @Test
  void distributionRunsFromAnyWorkingDirectory() throws Exception {
    Path home = distribution();
    Path link = Files.createSymbolicLink(tools.resolve("sluice"), home.resolve("bin/sluice"));

    for (Path launcher : List.of(home.resolve("bin/sluice"), link)) {
      Result result = run(launcher, Map.of(), "admin", "two words", "");

      assertThat(result.exitCode()).isZero();
      assertThat(result.lines())
          .startsWith("JAVA " + javaHome.resolve("bin/java"))
          .containsSequence("ARG -cp", "ARG " + classPath(home), "ARG io.sluice.cli.Main")
          .contains("ARG -Dsluice.jars=" + home + "/jars")
          .contains("ARG -Dsluice.clients=" + home + "/clients")
          .contains("ARG -Dsluice.demo.jars=" + home + "/demo")
          .endsWith("ARG admin", "ARG two words", "ARG ");
      assertThat(result.text())
          .doesNotContain("sluice.spark.home")
          .doesNotContain("sluice.hadoop.jars");
    }
  }

  @Test
  void javaOptionsComeFromTheEnvironmentOfTheirCommand() throws Exception {
    Path launcher = distribution().resolve("bin/sluice");
    Map<String, String> environment =
        Map.of(
            "XMX_SIZE", "3g",
            "MAX_DIRECT_MEMORY_SIZE", "9g",
            "SHUFFLE_SERVER_JAVA_OPTS", "-Ds1 -Ds2",
            "COORDINATOR_XMX_SIZE", "2g",
            "COORDINATOR_JAVA_OPTS", "-Dc",
            "SLUICE_JAVA_OPTS", "-Dall *");

    assertThat(run(launcher, environment, "server").lines())
        .contains(
            "ARG -Xmx3g",
            "ARG -XX:MaxDirectMemorySize=9g",
            "ARG -Ds1",
            "ARG -Ds2",
            "ARG -Dall",
            "ARG *")
        .doesNotContain("ARG -Xmx2g", "ARG -Dc");
    assertThat(run(launcher, environment, "coordinator").lines())
        .contains("ARG -Xmx2g", "ARG -Dc", "ARG -Dall")
        .doesNotContain("ARG -Xmx3g", "ARG -Ds1", "ARG -XX:MaxDirectMemorySize=9g");
    assertThat(run(launcher, environment, "bench").lines())
        .contains("ARG -Dall")
        .doesNotContain("ARG -Xmx2g", "ARG -Xmx3g", "ARG -Dc", "ARG -Ds1");
    assertThat(run(launcher, Map.of(), "server").text())
        .contains("-XX:MaxDirectMemorySize=")
        .doesNotContain("-Xmx");
  }

  @Test
  void servicesHaveFewArenasOfTheCLibrary() throws Exception {
    Path launcher = distribution().resolve("bin/sluice");
    for (String service : List.of("coordinator", "server")) {
      assertThat(run(launcher, Map.of(), service).lines()).contains("ARENAS 2");
      assertThat(run(launcher, Map.of("MALLOC_ARENA_MAX", "4"), service).lines())
          .contains("ARENAS 4");
    }
    assertThat(run(launcher, Map.of(), "admin").lines()).contains("ARENAS ");
  }

  @Test
  void exhaustedHeapEndsAServiceWithItsExitCode() throws Exception {
    Path launcher = distribution().resolve("bin/sluice");
    for (String service : List.of("coordinator", "server")) {
      List<String> command = new ArrayList<>();
      command.add(ProcessHandle.current().info().command().orElseThrow());
      run(launcher, Map.of(), service).lines().stream()
          .filter(line -> line.startsWith("ARG -XX:"))
          .forEach(line -> command.add(line.substring("ARG ".length())));
      command.addAll(List.of("-Xmx16m", "-cp", "target/test-classes", FillHeap.class.getName()));

      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      try {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      } finally {
        process.destroyForcibly();
      }

      assertThat(process.exitValue()).as(service).isEqualTo(ExitCode.OUT_OF_MEMORY.status());
    }
  }

  @Test
  void servicesUnpackLibrariesIntoTheConfiguredDirectory() throws Exception {
    Path launcher = distribution().resolve("bin/sluice");
    Path unpacked = Files.createDirectory(dir.resolve("unpacked"));
    Map<String, String> environment = Map.of("SLUICE_TMP_DIR", unpacked.toString());

    for (String service : List.of("coordinator", "server")) {
      assertThat(run(launcher, environment, service).lines())
          .contains("ARG -Djava.io.tmpdir=" + unpacked, "ARG -Djna.tmpdir=" + unpacked);
    }
    assertThat(run(launcher, environment, "admin").text()).doesNotContain("tmpdir");

    Result missing = run(launcher, Map.of("SLUICE_TMP_DIR", unpacked + "/missing"), "server");

    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.lines())
        .containsExactly(
            "sluice: SLUICE_TMP_DIR='" + unpacked + "/missing': not a writable directory");
  }

  @Test
  void anExistingArchiveIsUsedByAllCommandsButTheOneThatCreatesIt() throws Exception {
    Path home = distribution();
    Path launcher = home.resolve("bin/sluice");
    Path archive = home.resolve("lib/sluice.jsa");

    assertThat(run(launcher, Map.of(), "server").lines())
        .contains("ARG -Dsluice.archive=" + archive)
        .doesNotContain("ARG -XX:SharedArchiveFile=" + archive);

    Files.createDirectories(archive.getParent());
    Files.writeString(archive, "x");
    for (String command : List.of("coordinator", "server", "admin")) {
      assertThat(run(launcher, Map.of("SLUICE_JAVA_OPTS", "-Xshare:off"), command).lines())
          .contains("ARG -Dsluice.archive=" + archive)
          .containsSubsequence(
              "ARG -XX:SharedArchiveFile=" + archive, "ARG -Xlog:cds*=off", "ARG -Xshare:off");
    }
    assertThat(run(launcher, Map.of(), "archive").lines())
        .contains("ARG -Dsluice.archive=" + archive)
        .doesNotContain("ARG -XX:SharedArchiveFile=" + archive);

    Path other = Files.writeString(dir.resolve("other.jsa"), "x");
    assertThat(run(launcher, Map.of("SLUICE_ARCHIVE", other.toString()), "server").lines())
        .contains("ARG -XX:SharedArchiveFile=" + other, "ARG -Dsluice.archive=" + other);
  }

  @Test
  void reportsADistributionWithoutJars() throws Exception {
    Path home = distribution();
    for (String name : List.of("b.jar", "Z.jar", "a-1.jar")) {
      Files.delete(home.resolve("jars").resolve(name));
    }

    assertThat(run(home.resolve("bin/sluice"), Map.of(), "server"))
        .isEqualTo(
            new Result(
                1,
                List.of(
                    "sluice: "
                        + home
                        + "/jars has no jars; run bin/sluice of a complete distribution")));

    Files.delete(home.resolve("jars/README"));
    Files.delete(home.resolve("jars"));

    Result result = run(home.resolve("bin/sluice"), Map.of(), "server");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.lines())
        .containsExactly(
            "sluice: "
                + home
                + " has no jars directory; run bin/sluice of a complete"
                + " distribution");
  }

  @Test
  void aDistributionBuildsNothing() throws Exception {
    assertThat(run(distribution().resolve("bin/sluice"), Map.of(), "build"))
        .isEqualTo(
            new Result(
                2,
                List.of("sluice build: not available in a distribution, which is already built")));
  }

  @Test
  void helpOfAFreshCheckoutBuildsNothing() throws Exception {
    script(tools.resolve("mvn"), "echo MVN");

    Result result = run(checkout().resolve("sluice"), Map.of(), "--help");

    assertThat(result.exitCode()).isZero();
    assertThat(result.lines()).startsWith("Usage: ./sluice COMMAND [OPTIONS]");
    assertThat(result.text()).contains("demo").doesNotContain("MVN").doesNotContain("JAVA");
  }

  @Test
  void aBuiltCheckoutOnlyRuns() throws Exception {
    Path checkout = checkout();
    built(checkout, LATER);
    script(tools.resolve("mvn"), "echo MVN");

    Result result = run(checkout.resolve("sluice"), Map.of(), "demo");

    assertThat(result.exitCode()).isZero();
    assertThat(result.lines())
        .startsWith("JAVA " + javaHome.resolve("bin/java"))
        .contains(
            "ARG -Dsluice.spark.home=" + checkout + "/demo/target/spark-home",
            "ARG -Dsluice.hadoop.jars=" + checkout + "/demo/hadoop-home/target/jars.txt",
            "ARG -Dsluice.tpcds.queries=" + checkout + "/" + TPCDS_QUERIES,
            "ARG " + classPath(checkout.resolve("dist/target/home")))
        .endsWith("ARG demo");
  }

  @Test
  void buildsIfTheFilesOfOneEngineAreMissing() throws Exception {
    Path checkout = checkout();
    built(checkout, LATER);
    script(tools.resolve("mvn"), "echo '[ERROR] that is enough'", "exit 1");
    for (String made :
        List.of(
            "demo/hadoop-home/target/jars.txt",
            "demo/target/spark-home/RELEASE",
            TPCDS_QUERIES,
            COMET_JAR)) {
      Files.delete(checkout.resolve(made));

      assertThat(run(checkout.resolve("sluice"), Map.of(), "demo").text())
          .as(made)
          .contains("that is enough");
      file(checkout.resolve(made), LATER);
    }
  }

  @Test
  void aChangedSourceIsBuiltWithProgressThenRun() throws Exception {
    Path checkout = checkout();
    built(checkout, LATER);
    script(
        tools.resolve("mvn"),
        "echo \"MVN $JAVA_HOME\" >" + dir.resolve("mvn.txt"),
        "echo '[INFO] Building Sluice: common 0.1.0-SNAPSHOT                  [2/9]'",
        "echo '[INFO] noise'",
        "for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4 5; do echo 'Downloaded from x: "
            + "y'; done; done",
        "touch " + checkout.resolve("dist/target/home/RELEASE"));
    for (String source : List.of("common/src/main/java/A.java", "pom.xml", "conf/server.conf")) {
      file(checkout.resolve(source), Instant.now());

      Result result = run(checkout.resolve("sluice"), Map.of(), "admin");

      assertThat(result.exitCode()).as(source).isZero();
      assertThat(result.lines())
          .as(source)
          .startsWith(
              "Building Sluice; the first build also downloads libraries, Spark and Hadoop. Log: "
                  + checkout
                  + "/.build/build.log",
              "  [2/9]    Sluice: common",
              "           50 files downloaded",
              "JAVA " + javaHome.resolve("bin/java"));
      assertThat(Files.readString(dir.resolve("mvn.txt"))).isEqualTo("MVN " + javaHome + "\n");

      Files.delete(dir.resolve("mvn.txt"));
      assertThat(run(checkout.resolve("sluice"), Map.of(), "admin").text())
          .as(source)
          .startsWith("JAVA");
      assertThat(dir.resolve("mvn.txt")).doesNotExist();
    }
  }

  @Test
  void aCommandThatWaitedForABuildDoesNotKeepTheLock() throws Exception {
    Path checkout = checkout();
    built(checkout, LATER);
    Path stamp = checkout.resolve("dist/target/home/RELEASE");
    file(checkout.resolve("pom.xml"), LATER.plusSeconds(1));
    script(tools.resolve("mvn"), "echo MVN");
    // Another build has the lock, and ends while this command waits.
    script(tools.resolve("flock"), "[ \"$1\" != -n ] || exit 1", "touch " + stamp);
    script(
        javaHome.resolve("bin/java"),
        "if [ \"$1\" = -version ]; then echo 'openjdk version \"17.0.1\"' >&2; exit 0; fi",
        "echo JAVA",
        "if [ -e /proc/$$/fd/9 ]; then echo LOCKED; fi");

    Result result = run(checkout.resolve("sluice"), Map.of(), "admin");

    assertThat(result.exitCode()).isZero();
    assertThat(result.lines())
        .containsExactly("Waiting for another build of this checkout.", "JAVA");
  }

  @Test
  void aCheckoutBuildsTheBenchmarksOnlyForABenchmark() throws Exception {
    Path checkout = checkout();
    built(checkout, LATER);
    script(
        tools.resolve("mvn"),
        "echo \"$@\" >" + dir.resolve("mvn.txt"),
        "mkdir -p " + checkout.resolve("benchmark/target/jars"),
        "touch " + checkout.resolve("benchmark/target/jars/bench.jar"));
    Path launcher = checkout.resolve("sluice");

    for (String shipped : List.of("push", "fetch")) {
      assertThat(run(launcher, Map.of(), "-v", "bench", shipped, "--total", "1g").lines())
          .startsWith("JAVA " + javaHome.resolve("bin/java"))
          .containsSequence(
              "ARG -cp",
              "ARG " + classPath(checkout.resolve("dist/target/home")),
              "ARG io.sluice.cli.Main");
    }
    assertThat(dir.resolve("mvn.txt")).doesNotExist();

    Result first = run(launcher, Map.of(), "-v", "bench", "merge", "--scale", "1");
    assertThat(Files.readString(dir.resolve("mvn.txt"))).contains("-pl dist,benchmark -am package");
    Files.delete(dir.resolve("mvn.txt"));
    Result again = run(launcher, Map.of(), "bench", "jmh", "-f", "0");
    assertThat(dir.resolve("mvn.txt")).doesNotExist();
    for (Result result : List.of(first, again)) {
      assertThat(result.lines())
          .containsSequence(
              "ARG -cp",
              "ARG "
                  + classPath(checkout.resolve("dist/target/home"))
                  + ":"
                  + checkout
                  + "/benchmark/target/jars/bench.jar",
              "ARG io.sluice.benchmark.load.Benchmarks");
    }
    assertThat(again.lines()).endsWith("ARG bench", "ARG jmh", "ARG -f", "ARG 0");
  }

  @Test
  void aDistributionHasNoBenchmarksButPushAndFetch() throws Exception {
    assertThat(run(distribution().resolve("bin/sluice"), Map.of(), "bench", "merge").lines())
        .contains("ARG io.sluice.cli.Main")
        .endsWith("ARG bench", "ARG merge");
  }

  @Test
  void aFailedBuildShowsItsErrorsAndRunsNothing() throws Exception {
    Path checkout = checkout();
    script(tools.resolve("mvn"), "echo '[INFO] noise'", "echo '[ERROR] A.java: broken'", "exit 1");

    for (String command : List.of("build", "demo")) {
      Result result = run(checkout.resolve("sluice"), Map.of(), command);

      assertThat(result.exitCode()).isEqualTo(1);
      assertThat(result.lines())
          .endsWith(
              "[ERROR] A.java: broken",
              "sluice: the build failed; log: " + checkout + "/.build/build.log");
      assertThat(result.text()).doesNotContain("JAVA").doesNotContain("noise");
    }
  }

  @Test
  void skipsAJavaThatIsTooOld() throws Exception {
    Path launcher = distribution().resolve("bin/sluice");
    Path old = Files.createDirectories(dir.resolve("old/bin")).getParent();
    script(old.resolve("bin/java"), "echo 'openjdk version \"11.0.2\"' >&2; echo OLD \"$@\"");
    Files.createDirectories(dir.resolve("new"));
    Files.createSymbolicLink(tools.resolve("java"), javaHome.resolve("bin/java"));

    Result result = run(launcher, Map.of("JAVA_HOME", old.toString()), "server");

    assertThat(result.exitCode()).isZero();
    assertThat(result.lines()).startsWith("JAVA " + javaHome.resolve("bin/java"));
  }
}
