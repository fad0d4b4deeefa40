package io.sluice.benchmark.load;

import io.sluice.benchmark.cluster.BenchDirectory;
import io.sluice.benchmark.cluster.ProtectedCluster;
import io.sluice.benchmark.cluster.ProtectedCluster.Processes;
import io.sluice.benchmark.cluster.ProtectedCluster.ServerShape;
import io.sluice.benchmark.cluster.Protection;
import io.sluice.cli.bench.BenchLoad;
import io.sluice.cli.bench.BenchNames;
import io.sluice.cli.bench.BenchReport;
import io.sluice.cli.bench.BenchRun;
import io.sluice.client.TransportKind;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code sluice bench class-list}: makes {@code dist/src/sluice.classlist}, from which {@code
 * sluice archive} creates the class data archive of an installation.
 */
@Command(
    name = "class-list",
    description = {
      "List the classes that coordinators and servers load, for the class data archive.",
      "Starts a cluster in clear text and one with TLS, and pushes and fetches over both"
          + " transports. Starts a third one with several coordinators."
    })
public final class ClassListCommand implements Callable<Integer> {
  private static final int BLOCK = 64 << 10;
  private static final long FRAME = 1 << 20;
  private static final int CONNECTIONS = 8;
  private static final int QUORUM = 3;
  private static final long BUFFER = 16L << 20;
  private static final Duration PAGE_TIMEOUT = Duration.ofSeconds(30);
  private static final String SHIPPED = "io/sluice/";
  private static final String NOT_SHIPPED = "io/sluice/benchmark/";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "File to write.")
  private Path file;

  @Option(
      names = "--total",
      defaultValue = "64m",
      paramLabel = "SIZE",
      description =
          "Payload bytes that each transport pushes; more than the buffer of the server, so that "
              + "it spills. Default ${DEFAULT-VALUE}.")
  private DataSize total;

  @Override
  public Integer call() throws IOException, InterruptedException {
    NavigableSet<String> lines;
    try (BenchDirectory directory = BenchDirectory.make(null, "sluice-bench-class-list")) {
      Path lists = Files.createDirectory(directory.path().resolve("lists"));
      run(Protection.NONE, directory.path(), lists);
      run(Protection.TLS, directory.path(), lists);
      startQuorum(directory.path(), lists);
      lines = merge(lists);
    }
    List<String> text = new ArrayList<>();
    text.add("# Classes of coordinators and servers, made by ./sluice bench class-list.");
    text.addAll(lines);
    Files.write(file, text);
    spec.commandLine()
        .getOut()
        .println(
            lines.size()
                + " lines, "
                + lines.stream().filter(line -> line.startsWith(SHIPPED)).count()
                + " of classes of Sluice");
    return 0;
  }

  private static ProtectedCluster start(
      Protection protection, int coordinators, Path directory, Path lists)
      throws IOException, InterruptedException {
    // The JVM replaces %p by its process id.
    Processes processes =
        new Processes(
            coordinators, List.of("-XX:DumpLoadedClassList=" + lists.resolve("%p.classlist")));
    return ProtectedCluster.start(
        protection, Files.createDirectory(directory), ServerShape.ofBuffer(BUFFER), processes);
  }

  /** Starts coordinators that share their log; a server registers with them. */
  private static void startQuorum(Path parent, Path lists)
      throws IOException, InterruptedException {
    start(Protection.TLS, QUORUM, parent.resolve("quorum"), lists).close();
  }

  private void run(Protection protection, Path parent, Path lists)
      throws IOException, InterruptedException {
    try (ProtectedCluster cluster =
        start(protection, 1, parent.resolve(protection.toString()), lists)) {
      for (TransportKind transport : TransportKind.values()) {
        pushAndFetch(cluster, transport);
      }
      if (protection == Protection.NONE) {
        requestPages(cluster.pages());
      }
    }
  }

  private void pushAndFetch(ProtectedCluster cluster, TransportKind transport)
      throws IOException, InterruptedException {
    BenchLoad load =
        BenchLoad.of(CONNECTIONS, BLOCK, total.bytes(), FRAME).withTransport(transport);
    BenchRun.Target target = cluster.target();
    try (BenchRun run =
        BenchRun.start(load, target, BenchNames.progress(spec), target.freshApplication())) {
      BenchReport pushed = run.push();
      var unused =
          run.fetch(run.cluster().allPartitionsOnEveryServer(load.partitions()), pushed.blocks());
      run.cluster().forget();
    }
  }

  private static void requestPages(List<URI> addresses) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newHttpClient();
    for (URI address : addresses) {
      for (String path : List.of("/healthz", "/metrics")) {
        HttpResponse<Void> reply =
            client.send(
                HttpRequest.newBuilder(address.resolve(path)).timeout(PAGE_TIMEOUT).build(),
                HttpResponse.BodyHandlers.discarding());
        if (reply.statusCode() >= 400) {
          throw new IOException(address.resolve(path) + " answered HTTP " + reply.statusCode());
        }
      }
    }
  }

  /** Lines of all lists, sorted, without comments and without classes of this module. */
  private static NavigableSet<String> merge(Path lists) throws IOException {
    NavigableSet<String> lines = new TreeSet<>();
    try (Stream<Path> files = Files.list(lists)) {
      for (Path list : files.toList()) {
        Files.readAllLines(list).stream()
            .filter(line -> !line.isBlank() && !line.startsWith("#"))
            .filter(line -> !line.contains(NOT_SHIPPED))
            .forEach(lines::add);
      }
    }
    return lines;
  }
}
