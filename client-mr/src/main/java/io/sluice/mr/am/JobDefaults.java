package io.sluice.mr.am;

import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Defaults of Hadoop's settings in jobs that use servers; what a job configures, it keeps. */
public final class JobDefaults {
  /** Hadoop's older key, for the options of map and reduce tasks. */
  private static final String CHILD_JAVA_OPTS = "mapred.child.java.opts";

  private static final String METASPACE = "-XX:MetaspaceSize=";

  /**
   * Classes of a reduce task with the client, about 25 MB, exceed the JVM's default of 21 MB: it
   * would collect the heap, and shrink it, while the task starts.
   */
  private static final String METASPACE_SIZE = "64m";

  private JobDefaults() {}

  /** Sets the defaults. */
  public static void set(Configuration conf) {
    rerunMapsAfterFirstReport(conf);
    keepHeapAtStart(conf);
  }

  /**
   * Lets one report of a reduce task trigger a rerun of a map. A reduce task reports a map output
   * only if servers have lost it, so more reports add nothing.
   */
  private static void rerunMapsAfterFirstReport(Configuration conf) {
    if (isDefault(conf, MRJobConfig.MAX_FETCH_FAILURES_NOTIFICATIONS)) {
      conf.setInt(MRJobConfig.MAX_FETCH_FAILURES_NOTIFICATIONS, 1);
    }
    if (isDefault(conf, MRJobConfig.MAX_ALLOWED_FETCH_FAILURES_FRACTION)) {
      conf.setFloat(MRJobConfig.MAX_ALLOWED_FETCH_FAILURES_FRACTION, 0);
    }
  }

  private static boolean isDefault(Configuration conf, String key) {
    String[] sources = conf.getPropertySources(key);
    return sources == null
        || Arrays.stream(sources).anyMatch(source -> source.contains("mapred-default.xml"));
  }

  private static void keepHeapAtStart(Configuration conf) {
    String options = conf.get(MRJobConfig.REDUCE_JAVA_OPTS, conf.get(CHILD_JAVA_OPTS, ""));
    String administrator = conf.get(MRJobConfig.MAPRED_REDUCE_ADMIN_JAVA_OPTS, "");
    if (!options.contains(METASPACE) && !administrator.contains(METASPACE)) {
      conf.set(MRJobConfig.REDUCE_JAVA_OPTS, (options + " " + METASPACE + METASPACE_SIZE).trim());
    }
  }
}
