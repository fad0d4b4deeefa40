package org.apache.spark.shuffle;

import io.sluice.client.LocalOutputMode;
import io.sluice.client.ReadWaitConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ServedSettings;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.spark.DriverShuffles;
import io.sluice.spark.IoEncryption;
import io.sluice.spark.PluginConfig;
import io.sluice.spark.SmallShuffles;
import io.sluice.spark.SparkDefaults;
import io.sluice.spark.TaskDirectMemory;
import io.sluice.spark.assignment.DriverReplacementServers;
import io.sluice.spark.assignment.KnownAssignments;
import io.sluice.spark.assignment.LatestGeneration;
import io.sluice.spark.assignment.RpcDriverRequests;
import io.sluice.spark.compat.SparkApis;
import io.sluice.spark.engine.BlockContents;
import io.sluice.spark.local.ActiveShuffles;
import io.sluice.spark.local.BackgroundPush;
import io.sluice.spark.local.BlockSource;
import io.sluice.spark.local.FetchLimits;
import io.sluice.spark.local.LocalMapFiles;
import io.sluice.spark.local.SparkLocalOutput;
import io.sluice.spark.read.ExpectedMaps;
import io.sluice.spark.read.FetchedBlocks;
import io.sluice.spark.stats.CountedRead;
import io.sluice.spark.stats.ShuffleStatistics;
import io.sluice.spark.write.BuiltInSizes;
import io.sluice.spark.write.MapOutput;
import io.sluice.spark.write.MapOutputs;
import io.sluice.spark.write.OutputKind;
import io.sluice.spark.write.PartialMetrics;
import io.sluice.spark.write.RecordWriters;
import io.sluice.spark.write.ShuffleRows;
import io.sluice.spark.write.SluiceWriter;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.apache.spark.util.Utils;

/**
 * Entry point of the plugin: {@code spark.shuffle.manager}. A shuffle with assigned servers uses
 * Sluice; any other falls back to Spark's built-in sort shuffle, which this class extends ({@code
 * docs/decisions/0003}).
 *
 * <p>One per process. All tasks of the process share one client, created when the first shuffle is
 * registered, written or read. Thread-safe.
 */
public class RssShuffleManager extends SortShuffleManager {
  private final SparkConf conf;
  private final PluginConfig config;
  private final boolean isDriver;
  private final ServedSettings served;
  private final KnownAssignments known = new KnownAssignments();
  private final LocalMapFiles localFiles;
  private final ShuffleRows rows;
  private final RecordWriters writers;
  private final EngineShuffles engine;
  private final Object lock = new Object();

  // Guarded by lock.
  private SluiceClient client;
  private MapOutputs outputs;
  private DriverReplacementServers replacementServers;
  private DriverSide driver;
  private boolean stopped;

  /** Called by Spark. */
  public RssShuffleManager(SparkConf conf, boolean isDriver) {
    this(conf, isDriver, prepare(conf, isDriver));
  }

  private RssShuffleManager(SparkConf conf, boolean isDriver, ServedSettings served) {
    super(conf);
    this.conf = conf;
    this.served = served;
    this.isDriver = isDriver;
    this.config = PluginConfig.of(conf);
    this.localFiles = new LocalMapFiles(shuffleBlockResolver());
    this.rows = new ShuffleRows(config.rowPlanes());
    this.writers =
        new RecordWriters(config.spillBytes(), config.blockBytes(), config.maxOpenStreams());
    this.engine = EngineShuffles.of(conf, isDriver);
    if (isDriver) {
      config.logNotices();
    }
  }

  /** Sets the Spark keys that this manager needs, before Spark reads them. */
  private static ServedSettings prepare(SparkConf conf, boolean isDriver) {
    // Fails at start, rather than in the first task, if the jar is for another version of Spark.
    SparkApis.current();
    if (!isDriver) {
      return ServedSettings.NONE;
    }
    SparkDefaults.apply(conf);
    return PluginConfig.applyServedSettings(conf, Utils.getCurrentUserName(), System.getenv());
  }

  @Override
  public <K, V, C> ShuffleHandle registerShuffle(
      int shuffleId, ShuffleDependency<K, V, C> dependency) {
    int partitions = dependency.partitioner().numPartitions();
    if (partitions == 0) {
      // The shuffle has no data.
      return registerBuiltIn(shuffleId, dependency);
    }
    DriverSide side = driver(dependency.rdd().sparkContext());
    Optional<ShuffleAssignment> assignment =
        assign(side.shuffles(), shuffleId, partitions, dependency.rdd());
    if (assignment.isEmpty()) {
      return registerBuiltIn(shuffleId, dependency);
    }
    ShuffleStatistics statistics = new ShuffleStatistics();
    return new RssShuffleHandle<>(
        shuffleId,
        dependency,
        assignment.get(),
        statistics,
        side.track(assignment.get(), shuffleId, dependency.rdd(), statistics),
        client(assignment.get().shuffle().getApplication()).credentials());
  }

  /** Registers a shuffle that uses the built-in shuffle of Spark or of the engine. */
  private <K, V, C> ShuffleHandle registerBuiltIn(
      int shuffleId, ShuffleDependency<K, V, C> dependency) {
    return engine.include(dependency)
        ? engine.builtIn().registerShuffle(shuffleId, dependency)
        : super.registerShuffle(shuffleId, dependency);
  }

  private Optional<ShuffleAssignment> assign(
      DriverShuffles all, int shuffleId, int partitions, RDD<?> maps) {
    if (conf.getBoolean(SparkDefaults.OLD_FETCH_PROTOCOL, false)) {
      all.refuse(
          new Refused(
              Reason.UNSUPPORTED,
              SparkDefaults.OLD_FETCH_PROTOCOL + "=true gives all attempts of a task the same id"),
          shuffleId,
          partitions);
      return Optional.empty();
    }
    OptionalLong small =
        new SmallShuffles(config.autoLocalBytes(), DriverSide.tracker()).smallInput(maps);
    if (small.isPresent()) {
      all.useBuiltInForSmall(shuffleId, small.getAsLong());
      return Optional.empty();
    }
    return all.register(shuffleId, partitions);
  }

  @Override
  public <K, V> ShuffleWriter<K, V> getWriter(
      ShuffleHandle handle, long mapId, TaskContext context, ShuffleWriteMetricsReporter metrics) {
    if (!(handle instanceof RssShuffleHandle<?, ?, ?> ours)) {
      return engine.include(handle)
          ? engine.builtIn().getWriter(handle, mapId, context, metrics)
          : super.getWriter(handle, mapId, context, metrics);
    }
    @SuppressWarnings("unchecked") // Spark passes the handle of the dependency that it writes.
    RssShuffleHandle<K, V, ?> typed = (RssShuffleHandle<K, V, ?>) ours;
    return observed(typed, mapId, context, metrics);
  }

  private <K, V, C> ShuffleWriter<K, V> observed(
      RssShuffleHandle<K, V, C> handle,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    return writer(handle, mapId, context, metrics).observedFor(handle.dependency());
  }

  private <K, V, C> SluiceWriter<K, V> writer(
      RssShuffleHandle<K, V, C> handle,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    ShuffleDependency<K, V, C> dependency = handle.dependency();
    if (engine.include(dependency)) {
      return engine.writer(
          handle,
          mapId,
          context,
          metrics,
          localFiles,
          output(handle, mapId, OutputKind.OPAQUE, context, PartialMetrics.bytesOnly(metrics)),
          config.blockBytes());
    }
    OutputKind records = OutputKind.records(rows.of(handle.shuffleId(), dependency.serializer()));
    return writers.writer(
        dependency, context, mapId, output(handle, mapId, records, context, metrics));
  }

  private MapOutput output(
      RssShuffleHandle<?, ?, ?> handle,
      long mapId,
      OutputKind kind,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    ShuffleAssignment assignment = known.newest(handle.assignment());
    handle.passCredential(client(assignment.shuffle().getApplication()));
    MapOutputs outputs = outputs(assignment.shuffle().getApplication());
    MapAttempt attempt = new MapAttempt(mapId, context.partitionId());
    return handle.isRemoved()
        ? outputs.openLocal(assignment, attempt, kind, context, metrics, handle.statistics())
        : outputs.open(assignment, attempt, kind, context, metrics, handle.statistics());
  }

  @Override
  public <K, C> ShuffleReader<K, C> getReader(
      ShuffleHandle handle,
      int startMapIndex,
      int endMapIndex,
      int startPartition,
      int endPartition,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    if (!(handle instanceof RssShuffleHandle<?, ?, ?> ours)) {
      return engine.include(handle)
          ? engine
              .builtIn()
              .getReader(
                  handle,
                  startMapIndex,
                  endMapIndex,
                  startPartition,
                  endPartition,
                  context,
                  metrics)
          : super.getReader(
              handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics);
    }
    @SuppressWarnings("unchecked") // Spark passes the handle of the dependency that it reads.
    RssShuffleHandle<K, ?, C> typed = (RssShuffleHandle<K, ?, C>) ours;
    BlockContents contents =
        contents(
            ours,
            ExpectedMaps.of(
                SparkEnv.get().mapOutputTracker(),
                handle.shuffleId(),
                startMapIndex,
                endMapIndex,
                startPartition,
                endPartition),
            context,
            metrics);
    return engine.reader(typed, contents, context, metrics);
  }

  private BlockContents contents(
      RssShuffleHandle<?, ?, ?> handle,
      ExpectedMaps expected,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    DriverReplacementServers requests = replacementServers();
    ShuffleAssignment carried = handle.assignment();
    handle.passCredential(client(carried.shuffle().getApplication()));
    // An earlier attempt may have failed because it did not know every server of the shuffle.
    ShuffleAssignment assignment =
        context.attemptNumber() == 0 ? known.newest(carried) : requests.awaitNewest(carried);
    LatestGeneration read = new LatestGeneration(requests, assignment);
    TaskDirectMemory memory = new TaskDirectMemory(context.taskMemoryManager());
    ShuffleReadRequest.Builder request =
        expected.request(assignment).mapOrder().anyOrder().newest(read).memory(memory::account);
    if (!expected.local().isEmpty()) {
      request.localOutput(
          new SparkLocalOutput(
              handle.shuffleId(),
              expected.local(),
              BlockSource.of(SparkEnv.get()),
              FetchLimits.of(conf),
              metrics));
    }
    if (config.localOutput() == LocalOutputMode.ALWAYS) {
      awaitBackgroundPush(request, expected, config.readWait());
    }
    return new FetchedBlocks(
        new CountedRead(
            client(assignment.shuffle().getApplication())
                .read(request.build(), IoEncryption.of(SparkEnv.get())),
            handle.statistics(),
            System::nanoTime),
        handle.shuffleId(),
        read::isOutdated,
        memory,
        context,
        metrics);
  }

  /**
   * Lets a read wait briefly for output that is still pushed in the background, but not for output
   * that is never pushed.
   */
  private void awaitBackgroundPush(
      ShuffleReadRequest.Builder request, ExpectedMaps expected, ReadWaitConfig wait) {
    request.waitFor((int) wait.waitMs(), wait.permille());
    expected.markLeftLocal(request, config.largestPushedPartitionBytes());
  }

  @Override
  public boolean unregisterShuffle(int shuffleId) {
    DriverSide side;
    SluiceClient activeClient;
    synchronized (lock) {
      side = driver;
      activeClient = client;
    }
    if (activeClient != null) {
      activeClient.backgroundPusher().forget(shuffleId);
    }
    if (side != null) {
      side.unregister(shuffleId);
    }
    known.forget(shuffleId);
    rows.forget(shuffleId);
    localFiles.removeAll(shuffleId);
    engine.unregister(shuffleId);
    return super.unregisterShuffle(shuffleId);
  }

  @Override
  public void stop() {
    DriverSide side;
    SluiceClient closingClient;
    synchronized (lock) {
      stopped = true;
      side = driver;
      closingClient = client;
      client = null;
    }
    if (side != null) {
      side.close();
    }
    if (closingClient != null) {
      closingClient.close();
    }
    super.stop();
  }

  /** Whether there are shuffles and all of them outlive the executors that wrote them. */
  boolean isStorageReliable() {
    synchronized (lock) {
      return driver != null && !driver.shuffles().anyOnLocalDisks();
    }
  }

  private DriverSide driver(SparkContext sparkContext) {
    synchronized (lock) {
      if (driver == null) {
        if (!isDriver) {
          throw new IllegalStateException("internal error: registerShuffle called in an executor");
        }
        // Spark may reuse an application id in a second attempt of the same driver.
        String application =
            config.nameOnCluster(
                PluginConfig.applicationName(conf.getAppId(), System.currentTimeMillis()),
                Utils.getCurrentUserName());
        driver =
            new DriverSide(
                client(application)
                    .applicationSession(Utils.getCurrentUserName(), System.getenv(), served),
                config,
                sparkContext);
      }
      return driver;
    }
  }

  /** Sends requests to the driver, which may be this process itself (local master). */
  private DriverReplacementServers replacementServers() {
    synchronized (lock) {
      if (replacementServers == null) {
        SparkEnv env = SparkEnv.get();
        replacementServers =
            new DriverReplacementServers(new RpcDriverRequests(env.rpcEnv(), env.conf()), known);
      }
      return replacementServers;
    }
  }

  private MapOutputs outputs(String application) {
    synchronized (lock) {
      if (outputs == null) {
        outputs =
            new MapOutputs(
                SparkEnv.get().executorId(),
                config.localOutput(),
                client(application),
                IoEncryption.of(SparkEnv.get()),
                config.maxReplacementServers() > 0 ? replacementServers() : null,
                localFiles,
                newBackgroundPush(client(application)),
                BuiltInSizes.of(config.codec(), conf));
      }
      return outputs;
    }
  }

  private BackgroundPush newBackgroundPush(SluiceClient of) {
    SparkEnv env = SparkEnv.get();
    return new BackgroundPush(
        of.backgroundPusher(),
        localFiles,
        config.maxReplacementServers() > 0 ? replacementServers() : null,
        new ActiveShuffles(ActiveShuffles.driver(env.rpcEnv(), conf), System::nanoTime));
  }

  private SluiceClient client(String application) {
    synchronized (lock) {
      if (stopped) {
        throw new IllegalStateException("the shuffle manager has been stopped");
      }
      if (client == null) {
        client = config.newClient(application, SparkEnv.get().executorId());
      }
      return client;
    }
  }
}
