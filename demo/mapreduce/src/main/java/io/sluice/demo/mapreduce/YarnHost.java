package io.sluice.demo.mapreduce;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.util.ExitUtil;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEventType;

/**
 * Runs resource manager, node managers with their shuffle handlers, and history server of Hadoop's
 * mini cluster in this process. Containers are separate processes.
 *
 * <p>Arguments: a Hadoop configuration file to start with, the number of node managers, the file to
 * write the configuration for clients to, and the maximum run time in minutes. The client
 * configuration is written when the cluster accepts jobs. An input line {@code lose N} stops node
 * manager N, from 0, permanently. The end of input ends the process.
 */
public final class YarnHost {
  private static final String LOSE = "lose ";

  private YarnHost() {}

  public static void main(String[] args) {
    try {
      run(args);
      // Hadoop's servers may have left non-daemon threads.
      ExitUtil.terminate(0);
    } catch (Exception | LinkageError e) {
      ExitUtil.terminate(1, e);
    }
  }

  private static void run(String[] args) throws IOException {
    Path settings = Path.of(args[0]);
    int nodes = Integer.parseInt(args[1]);
    Path forClients = Path.of(args[2]);
    endAfter(TimeUnit.MINUTES.toMillis(Long.parseLong(args[3])));

    Configuration configuration = new YarnConfiguration();
    configuration.addResource(new org.apache.hadoop.fs.Path(settings.toUri()));
    MiniMRYarnCluster cluster = new MiniMRYarnCluster("yarn", nodes);
    cluster.init(configuration);
    cluster.start();
    writeForClients(cluster.getConfig(), forClients);

    // The parent process writes commands; its end closes the stream.
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      if (!line.startsWith(LOSE)) {
        throw new IOException("expected " + LOSE + "N, found " + line);
      }
      lose(cluster, Integer.parseInt(line.substring(LOSE.length())));
    }
    cluster.stop();
  }

  /**
   * Stops a node manager as if its machine were switched off: without unregistering, and with its
   * containers.
   */
  private static void lose(MiniMRYarnCluster cluster, int node) {
    NodeManager lost = cluster.getNodeManager(node);
    NodeId id = lost.getNMContext().getNodeId();
    // Prevents the node manager from unregistering at the resource manager.
    lost.getNMContext().setDecommissioned(true);
    lost.stop();
    // The event that the resource manager raises after minutes without a heartbeat.
    cluster
        .getResourceManager()
        .getRMContext()
        .getDispatcher()
        .getEventHandler()
        .handle(new RMNodeEvent(id, RMNodeEventType.EXPIRE));
  }

  /** Writes the settings that differ from Hadoop's defaults, such as addresses. */
  private static void writeForClients(Configuration running, Path file) throws IOException {
    Configuration chosen = new Configuration(false);
    for (Map.Entry<String, String> entry : running) {
      if (isChosen(running.getPropertySources(entry.getKey()))) {
        chosen.set(entry.getKey(), entry.getValue());
      }
    }
    // With this setting, containers would get the class path of the submitting process.
    chosen.unset(YarnConfiguration.IS_MINI_YARN_CLUSTER);
    Path written = file.resolveSibling(file.getFileName() + ".part");
    try (OutputStream out = Files.newOutputStream(written)) {
      chosen.writeXml(out);
    }
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static boolean isChosen(String[] sources) {
    return sources == null
        || sources.length == 0
        || !sources[sources.length - 1].endsWith("-default.xml");
  }

  /** Halts this process after a time limit, even if the parent process does not end it. */
  private static void endAfter(long limitMs) {
    Thread limit =
        new Thread(
            () -> {
              try {
                Thread.sleep(limitMs);
                System.err.println(
                    "YarnHost: maximum run time reached, exiting: limitMs=" + limitMs);
                Runtime.getRuntime().halt(1);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "limit");
    limit.setDaemon(true);
    limit.start();
  }
}
