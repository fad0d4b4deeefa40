package io.sluice.benchmark.structure;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What may know what. Modules are held apart by what their poms name; here is what those cannot
 * say, and what would be seen only when a module is added to one.
 */
class StructureTest {
  private static final String ROOT = "io.sluice.";

  /** Their classes are not needed to push and to read; jobs carry the client. */
  private static final String[] OF_SERVERS = {
    "org.rocksdb..",
    "io.prometheus..",
    "tools.jackson..",
    "com.fasterxml.jackson..",
    "picocli..",
    "ch.qos.logback.."
  };

  private static JavaClasses all;

  @BeforeAll
  static void read() {
    all =
        new ClassFileImporter()
            .withImportOption(new DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.sluice");
  }

  @AfterAll
  static void forget() {
    all = null;
  }

  private static DescribedPredicate<JavaClass> ours(String... packages) {
    return resideInAnyPackage(
        Stream.of(packages).map(name -> ROOT + name + "..").toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({
    "proto, ''",
    "common, proto",
    "metrics, common proto",
    "transport, common proto",
    "client, common proto transport",
    "coordinator, common metrics proto",
    "server, common metrics proto transport",
    "localcluster, proto",
    "demo, localcluster proto",
    "cli, client common coordinator demo localcluster metrics proto server transport",
    "benchmark, cli client common demo localcluster proto server transport"
  })
  void aModuleKnowsThoseBelowIt(String module, String below) {
    String[] known =
        Stream.concat(Stream.of(module), Arrays.stream(below.split(" ")))
            .filter(name -> !name.isEmpty())
            .toArray(String[]::new);
    DescribedPredicate<JavaClass> others =
        resideInAPackage(ROOT + ".").and(not(ours(known))).as("other modules");
    noClasses().that(ours(module)).should().dependOnClassesThat(others).check(all);
  }

  /** The layers of a module in docs/architecture.md: package names, the highest layer first. */
  private static List<List<String>> layers(String module) throws IOException {
    List<List<String>> layers = new ArrayList<>();
    boolean inside = false;
    for (String line : Files.readAllLines(Path.of("../docs/architecture.md"))) {
      if (inside && !line.startsWith("  ")) {
        break;
      }
      if (inside) {
        layers.add(List.of(line.strip().split(" {2,}")[0].split(", ")));
      }
      inside |= line.equals(ROOT + module);
    }
    return layers;
  }

  @ParameterizedTest
  @ValueSource(strings = {"server", "client", "coordinator", "transport"})
  void aPackageKnowsOnlyTheLayersBelowItsOwn(String module) throws IOException {
    String root = ROOT + module + ".";
    List<List<String>> layers = layers(module);
    assertThat(layers.stream().flatMap(List::stream).toList())
        .as("packages of %s in docs/architecture.md", module)
        .containsExactlyInAnyOrderElementsOf(
            all.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith(root))
                .map(name -> name.substring(root.length()))
                .distinct()
                .toList());
    List<String> above = new ArrayList<>();
    for (List<String> layer : layers) {
      for (String name : layer) {
        List<String> others = new ArrayList<>(layer);
        others.remove(name);
        others.addAll(above);
        noClasses()
            .that(resideInAPackage(root + name))
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(others.stream().map(root::concat).toArray(String[]::new)))
            .allowEmptyShould(true)
            .check(all);
      }
      above.addAll(layer);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "common",
        "transport",
        "client",
        "coordinator",
        "server",
        "demo",
        "cli",
        "benchmark"
      })
  void packagesOfAModuleMakeNoCircle(String module) {
    slices().matching(ROOT + module + ".(*)..").should().beFreeOfCycles().check(all);
  }

  @Test
  void jobsCarryNothingThatOnlyServersNeed() {
    noClasses()
        .that(ours("client", "common", "transport"))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(OF_SERVERS)
        .check(all);
  }

  /** Jars of plugins leave it out. */
  @Test
  void clientsHaveNoUseForTheServerEndOfTheTransport() {
    noClasses()
        .that(ours("client", "transport.client", "transport.protocol"))
        .should()
        .dependOnClassesThat(ours("transport.server"))
        .check(all);
    noClasses()
        .that(ours("transport.server"))
        .should()
        .dependOnClassesThat(ours("transport.client"))
        .check(all);
  }

  /** So that whole clusters of them can be tried out in a test, in any order, with any clock. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "server.log",
        "server.memory",
        "coordinator.cluster",
        "coordinator.assign",
        "coordinator.history"
      })
  void whatDecidesHasNoSocketsThreadsOrFiles(String name) {
    noClasses()
        .that(ours(name))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                    "java.net..",
                    "javax.net..",
                    "com.sun.net..",
                    "io.grpc..",
                    "io.netty.channel..",
                    "java.nio.file..")
                .or(
                    belongToAnyOf(Thread.class, Executor.class, ScheduledExecutorService.class)
                        .as("threads")))
        .check(all);
  }

  @Test
  void nothingThatChangesIsStatic() {
    fields()
        .that()
        .areStatic()
        .and(not(describe("generated", field -> isGenerated(field))))
        .should()
        .beFinal()
        .andShould()
        .notHaveRawType(
            resideInAnyPackage("java.util.concurrent..")
                .and(not(equivalentTo(TimeUnit.class)))
                .or(assignableTo(ThreadLocal.class)))
        .check(all);
  }

  private static boolean isGenerated(JavaField field) {
    return field.getModifiers().contains(JavaModifier.SYNTHETIC)
        || field.getOwner().getPackageName().equals(ROOT + "proto")
        || field.getOwner().getPackageName().endsWith(".jmh_generated");
  }
}
