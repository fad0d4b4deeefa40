package io.sluice.server.service;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.server.background.SpillPolicy;
import io.sluice.server.background.SpillWriter;
import io.sluice.server.background.Spiller;
import io.sluice.server.disk.DamageReports;
import io.sluice.server.disk.DiskWatch;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.LinuxPageCache;
import io.sluice.server.disk.PageCache;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.observe.ServerCounters;
import io.sluice.server.read.DiskReadConfig;
import io.sluice.server.read.DiskReadCounters;
import io.sluice.server.read.FileReads;
import io.sluice.server.read.ReadBudget;
import io.sluice.server.read.ReadResultListener;
import io.sluice.server.read.ReaderThreads;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.server.RequestMemory;
import java.io.IOException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The storage of a server for tests: memory, logs, disks, spilling and the data service.
 * Thread-safe.
 *
 * <p>Lifecycle: {@link #open} locks the directories, {@link #start} starts the threads, {@link
 * #close} stops them and deletes the runs.
 */
public final class BlockStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BlockStore.class);

  private final MemoryBudget memory;
  private final ShuffleStore shuffles;
  private final Disks disks;
  private final RunFiles runs;
  private final Spiller spiller;
  private final ServerCounters counters;
  private final ScheduledThreadPoolExecutor scheduler;
  private final ReaderThreads readerThreads;
  private final FileReads reads;
  private final PushAdmission admission;
  private final StoreDataService service;
  private boolean closed;

  private BlockStore(
      BlockStoreConfig config,
      long epoch,
      Disks disks,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this.disks = disks;
    this.memory = new MemoryBudget(config.memory(), nanoTime);
    this.shuffles = new ShuffleStore(config.store());
    PageCache pageCache = LinuxPageCache.load();
    this.runs = new RunFiles(config.maxIdleOpenFiles(), pageCache);
    this.counters = new ServerCounters();
    this.spiller =
        new Spiller(
            shuffles,
            memory,
            disks,
            new SpillPolicy(config.spill()),
            new SpillWriter(epoch, runs, random, counters),
            nanoTime);
    this.scheduler =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "open-waits");
              thread.setDaemon(true);
              return thread;
            });
    scheduler.setRemoveOnCancelPolicy(true);
    this.readerThreads = new ReaderThreads(DiskReadConfig.DEFAULT, nanoTime);
    RequestMemory requestMemory = new RequestMemory(8 << 20);
    this.reads =
        new FileReads(
            DiskReadConfig.DEFAULT,
            new ReadBudget(64 << 20),
            requestMemory,
            pageCache,
            PooledByteBufAllocator.DEFAULT,
            readerThreads,
            scheduler,
            ReadResultListener.IGNORED,
            new DiskReadCounters(),
            nanoTime);
    this.admission =
        new PushAdmission(
            ServerEpochs.first(epoch),
            config.service().limits(),
            memory,
            shuffles,
            spiller::canStore,
            new OverQuota(),
            counters);
    this.service =
        new StoreDataService(
            ServerEpochs.first(epoch),
            config.service(),
            ConnectionGuard.OPEN,
            admission,
            memory,
            requestMemory,
            shuffles,
            reads,
            scheduler,
            counters);
    service.verifyReports(
        new DamageReports(
            runs,
            new DiskWatch(disks, shuffles, runs, random, PageCache.UNKNOWN, counters, nanoTime),
            counters));
  }

  /**
   * Locks the directories and creates the parts, without starting threads.
   *
   * @param epoch epoch of the server
   * @param owner description of the owner of the directories, in one line, for the error message of
   *     another server
   * @param random source of run ids; thread-safe
   * @throws io.sluice.server.disk.DirectoryInUseException if another server has a directory
   * @throws IOException if no directory can be used; the message is one line
   */
  public static BlockStore open(
      BlockStoreConfig config,
      long epoch,
      String owner,
      LongSupplier nanoTime,
      RandomGenerator random)
      throws IOException {
    Disks disks = Disks.open(config.directories(), config.disks(), Fsync.NEVER, owner, nanoTime);
    return new BlockStore(config, epoch, disks, nanoTime, random);
  }

  public void start() {
    runs.start();
    spiller.start();
  }

  public StoreDataService service() {
    return service;
  }

  public MemoryBudget memory() {
    return memory;
  }

  /** Logs of all shuffles. */
  public ShuffleStore shuffles() {
    return shuffles;
  }

  public Disks disks() {
    return disks;
  }

  /**
   * False while no disk accepts data: the server is unhealthy, and refuses pushes when memory is
   * full.
   */
  public boolean canStore() {
    return spiller.canStore();
  }

  public ServerCounters counters() {
    return counters;
  }

  /** Number of run files with references or waiting for deletion. */
  public int runFileCount() {
    return runs.count();
  }

  /** Refuses further pushes and writes memory to files within the timeout. */
  public boolean drain(long timeoutMs) throws InterruptedException {
    admission.stop();
    return spiller.flushAll(timeoutMs);
  }

  /** Closes all parts, after the transports. Logs buffers that are still in use. Idempotent. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    admission.stop();
    reads.close();
    readerThreads.close();
    spiller.close();
    shuffles.close();
    scheduler.shutdown();
    try {
      scheduler.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    scheduler.shutdownNow();
    runs.close();
    disks.close();
    if (memory.usedBytes() == 0) {
      LOG.info("store closed memoryUsedBytes=0 memoryPeakBytes={}", memory.peakBytes());
    } else {
      LOG.warn("store closed with memory in use memoryUsedBytes={}", memory.usedBytes());
    }
    memory.close();
  }
}
