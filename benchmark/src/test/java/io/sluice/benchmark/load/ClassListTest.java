package io.sluice.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.CliRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The list of classes of the class data archive, and the command that makes it. */
@Timeout(900)
class ClassListTest {
  private static final Path SHIPPED = Path.of("../dist/src/sluice.classlist");

  /** Name of a class that is not generated at run time. */
  private static final Pattern CLASS = Pattern.compile("[A-Za-z0-9_/$-]+");

  private static final String SERVICE = "io/sluice/server/service/StoreDataService";

  /** Of a coordinator that shares its log with others. */
  private static final String QUORUM = "org/apache/ratis/server/impl/RaftServerImpl";

  @TempDir Path directory;

  private static List<String> classes(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .map(line -> line.split(" ")[0])
        .filter(CLASS.asMatchPredicate())
        .toList();
  }

  private static boolean exists(String name) {
    return ClassListTest.class.getClassLoader().getResource(name + ".class") != null;
  }

  @Test
  void nearlyAllShippedClassesExist() throws Exception {
    List<String> classes = classes(SHIPPED);
    List<String> sluice = classes.stream().filter(name -> name.startsWith("io/sluice/")).toList();
    List<String> libraries =
        classes.stream().filter(name -> name.matches("(io/netty|io/grpc|org)/.*")).toList();
    for (List<String> part : List.of(sluice, libraries)) {
      assertThat(part).hasSizeGreaterThan(500);
      List<String> missing = part.stream().filter(name -> !exists(name)).toList();
      assertThat(missing)
          .as("make the list again with: ./sluice bench class-list dist/src/sluice.classlist")
          .hasSizeLessThan(part.size() / 10);
    }
    assertThat(classes).contains("java/lang/Object", SERVICE, QUORUM);
  }

  @Test
  @Tag("nightly")
  void theListHasClassesOfCoordinatorsAndServers() throws Exception {
    Path list = directory.resolve("classes");

    CliRun run =
        CliRun.of(Benchmarks::commandLine, "bench", "class-list", "--total", "1m", list.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).matches("[0-9]+ lines, [0-9]+ of classes of Sluice\n");
    assertThat(classes(list))
        .isSorted()
        .contains("java/lang/Object", SERVICE, QUORUM)
        .noneMatch(name -> name.startsWith("io/sluice/benchmark/"));
  }
}
