package io.sluice.demo.staging;

import io.sluice.localcluster.NodeChannels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** Creates keys, certificates and users of a cluster whose processes run on this machine. */
@FunctionalInterface
public interface ClusterSecrets {

  /**
   * Configuration of a secured cluster; each map has keys and values.
   *
   * @param spark settings of Spark applications
   * @param mapReduce settings of MapReduce jobs
   * @param admin opens channels on which calls prove an admin
   */
  record Access(
      Map<String, String> coordinator,
      Map<String, String> server,
      Map<String, String> spark,
      Map<String, String> mapReduce,
      NodeChannels admin) {
    /** A cluster without authentication and TLS. */
    static final Access OPEN =
        new Access(Map.of(), Map.of(), Map.of(), Map.of(), NodeChannels.PLAIN);

    public Access {
      coordinator = Map.copyOf(coordinator);
      server = Map.copyOf(server);
      spark = Map.copyOf(spark);
      mapReduce = Map.copyOf(mapReduce);
    }
  }

  /**
   * Creates the files of a new cluster.
   *
   * @param directory a new directory
   */
  Access create(Path directory) throws IOException;
}
