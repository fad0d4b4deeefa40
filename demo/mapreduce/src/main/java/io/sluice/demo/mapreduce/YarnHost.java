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
 * Resource manager, node managers with their shuffle handlers, and history server of Hadoop's mini
 * cluster, in this process. Containers are processes of their own, as anywhere.
 *
 * <p>Arguments: a Hadoop configuration file to start with, the number of node managers, the file
 * that gets the configuration for clients, and the number of minutes that all this may live. The
 * last file appears when the cluster takes jobs. A line {@code lose N} of input takes node manager
 * N, from 0, away for good; end of input ends the process.
 */
public final class YarnHost {
  private static final String LOSE = "lose ";

  private YarnHost() {}

  public static void main(String[] args) {
    try {
      run(args);
      // Threads of Hadoop's servers may still be there.
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

    // Whoever started this holds the other end.
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

  /** As if its machine were switched off: it says goodbye to nobody, and its containers end. */
  private static void lose(MiniMRYarnCluster cluster, int node) {
    NodeManager lost = cluster.getNodeManager(node);
    NodeId id = lost.getNMContext().getNodeId();
    // Otherwise it would take leave of the resource manager.
    lost.getNMContext().setDecommissioned(true);
    lost.stop();
    // What the resource manager finds after some minutes without a heartbeat.
    cluster
        .getResourceManager()
        .getRMContext()
        .getDispatcher()
        .getEventHandler()
        .handle(new RMNodeEvent(id, RMNodeEventType.EXPIRE));
  }

  /** What differs from Hadoop's defaults: addresses above all. */
  private static void writeForClients(Configuration running, Path file) throws IOException {
    Configuration chosen = new Configuration(false);
    for (Map.Entry<String, String> entry : running) {
      if (isChosen(running.getPropertySources(entry.getKey()))) {
        chosen.set(entry.getKey(), entry.getValue());
      }
    }
    // With it, containers would get the class path of whoever submits.
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

  /** Whatever happens to the one who started this. */
  private static void endAfter(long limitMs) {
    Thread limit =
        new Thread(
            () -> {
              try {
                Thread.sleep(limitMs);
                System.err.println("YarnHost: has lived as long as it may, ms=" + limitMs);
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
