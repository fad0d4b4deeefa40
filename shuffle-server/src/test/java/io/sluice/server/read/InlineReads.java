package io.sluice.server.read;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.PageCache;
import io.sluice.transport.server.FetchedBytes;
import io.sluice.transport.server.RequestMemory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Reads files on the calling thread, for tests. */
public final class InlineReads {
  private InlineReads() {}

  public static FileReads create(ScheduledExecutorService timer) {
    return new FileReads(
        DiskReadConfig.DEFAULT,
        new ReadBudget(1 << 30),
        new RequestMemory(1 << 30),
        PageCache.UNKNOWN,
        UnpooledByteBufAllocator.DEFAULT,
        disk -> Runnable::run,
        timer,
        ReadResultListener.IGNORED,
        new DiskReadCounters(),
        System::nanoTime);
  }

  /** Waits for the result of a fetch, for a bounded time. */
  public static FetchedBytes await(CompletableFuture<FetchedBytes> answer) throws SluiceException {
    try {
      return answer.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SluiceException refusal) {
        throw refusal;
      }
      throw new AssertionError("fetch failed", e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("fetch was not answered", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
