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
import io.grpc.ManagedChannelBuilder;
import io.sluice.common.net.DirectChannel;
import io.sluice.localcluster.NodeChannels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Allowed dependencies between modules and packages. POMs separate the modules; this test checks
 * rules that POMs cannot express, and finds modules that a POM includes by mistake.
 */
class StructureTest {
  private static final String ROOT = "io.sluice.";

  /** Libraries that only servers need and clients must not use. */
  private static final String[] SERVER_LIBRARIES = {
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

  private static DescribedPredicate<JavaClass> inSluicePackages(String... packages) {
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
  void modulesDependOnlyOnLowerModules(String module, String below) {
    String[] known =
        Stream.concat(Stream.of(module), Arrays.stream(below.split(" ")))
            .filter(name -> !name.isEmpty())
            .toArray(String[]::new);
    DescribedPredicate<JavaClass> others =
        resideInAPackage(ROOT + ".").and(not(inSluicePackages(known))).as("other modules");
    noClasses().that(inSluicePackages(module)).should().dependOnClassesThat(others).check(all);
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
  void packagesDependOnlyOnLowerLayers(String module) throws IOException {
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
  void packagesOfAModuleHaveNoCycle(String module) {
    slices().matching(ROOT + module + ".(*)..").should().beFreeOfCycles().check(all);
  }

  @Test
  void classesHaveNamesOfTheirOwn() {
    Map<String, List<String>> byName =
        all.stream()
            .filter(type -> type.isTopLevelClass() && !type.getPackageName().equals(ROOT + "proto"))
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .collect(
                Collectors.groupingBy(
                    JavaClass::getSimpleName,
                    TreeMap::new,
                    Collectors.mapping(JavaClass::getName, Collectors.toList())));
    byName.values().removeIf(classes -> classes.size() == 1);
    assertThat(byName).as("classes with the same simple name").isEmpty();
  }

  @Test
  void clientsDoNotUseServerLibraries() {
    noClasses()
        .that(inSluicePackages("client", "common", "transport"))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(SERVER_LIBRARIES)
        .check(all);
  }

  /** The client jars do not contain the server end. */
  @Test
  void clientsDoNotUseTheServerEndOfTheTransport() {
    noClasses()
        .that(inSluicePackages("client", "transport.client", "transport.protocol"))
        .should()
        .dependOnClassesThat(inSluicePackages("transport.server"))
        .check(all);
    noClasses()
        .that(inSluicePackages("transport.server"))
        .should()
        .dependOnClassesThat(inSluicePackages("transport.client"))
        .check(all);
  }

  /** Any other channel would connect through the proxy of the JVM. */
  @Test
  void onlyOneClassBuildsChannels() {
    noClasses()
        .that(not(belongToAnyOf(DirectChannel.class, NodeChannels.class)))
        .should()
        .callMethodWhere(
            describe(
                "that builds a gRPC channel",
                call ->
                    call.getTargetOwner().isAssignableTo(ManagedChannelBuilder.class)
                        && call.getName().startsWith("for")))
        .check(all);
  }

  /** Keeps this code usable in simulations of whole clusters with a simulated clock. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "server.log",
        "server.memory",
        "coordinator.cluster",
        "coordinator.assign",
        "coordinator.history"
      })
  void stateMachinesHaveNoSocketsThreadsOrFiles(String name) {
    noClasses()
        .that(inSluicePackages(name))
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
  void staticFieldsAreImmutable() {
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
