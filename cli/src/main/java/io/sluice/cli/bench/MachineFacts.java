package io.sluice.cli.bench;

import com.sun.management.OperatingSystemMXBean;
import io.grpc.ManagedChannel;
import io.netty.channel.Channel;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Facts about the machine and its software that matter for a benchmark. They name no host. */
final class MachineFacts {
  private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
  private static final String MODEL = "model name";

  private MachineFacts() {}

  /** Number and model of processors, memory, and load average at this time. */
  static Map<String, String> machine() {
    Map<String, String> facts = new LinkedHashMap<>();
    java.lang.management.OperatingSystemMXBean system =
        ManagementFactory.getOperatingSystemMXBean();
    facts.put("processors", Integer.toString(system.getAvailableProcessors()));
    processorModel().ifPresent(model -> facts.put("processor", model));
    if (system instanceof OperatingSystemMXBean known) {
      facts.put("memory", new DataSize(known.getTotalMemorySize()).toRoundedText());
    }
    facts.put("load at the end", String.format(Locale.ROOT, "%.1f", system.getSystemLoadAverage()));
    return facts;
  }

  /**
   * Versions of Sluice, the JDK, the kernel and the libraries of both transports.
   *
   * @param sluice version of Sluice
   */
  static Map<String, String> versions(String sluice) {
    Map<String, String> versions = new LinkedHashMap<>();
    versions.put("sluice", sluice);
    versions.put("java", System.getProperty("java.vm.version"));
    versions.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    put(versions, "netty", Channel.class);
    put(versions, "grpc", ManagedChannel.class);
    return versions;
  }

  private static void put(Map<String, String> versions, String name, Class<?> type) {
    String version = type.getPackage().getImplementationVersion();
    if (version != null) {
      versions.put(name, version);
    }
  }

  private static Optional<String> processorModel() {
    try (Stream<String> lines = Files.lines(PROCESSORS)) {
      return lines
          .filter(line -> line.startsWith(MODEL))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst();
    } catch (IOException unknown) {
      return Optional.empty();
    }
  }
}
