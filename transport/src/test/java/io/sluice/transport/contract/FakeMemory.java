package io.sluice.transport.contract;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.sluice.transport.server.BodyMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Memory of a few slabs, each counted until its last release. Thread-safe. */
final class FakeMemory implements BodyMemory {
  private final int slabLength;
  private final int slabCount;
  private final Deque<Waiter> waiters = new ArrayDeque<>();
  private int used;
  private int maxUsed;

  private record Waiter(int slabs, Runnable retry) {}

  FakeMemory(int slabLength, int slabCount) {
    this.slabLength = slabLength;
    this.slabCount = slabCount;
  }

  @Override
  public synchronized ByteBuf tryAllocate(String application, int length) {
    int slabs = slabsOf(length);
    if (slabs > slabCount) {
      throw new IllegalArgumentException(
          "body of " + length + " bytes exceeds the total memory of " + slabLength * slabCount);
    }
    if (used + slabs > slabCount) {
      return null;
    }
    used += slabs;
    maxUsed = Math.max(maxUsed, used);
    List<ByteBuf> parts = new ArrayList<>();
    for (int i = 0; i < slabs; i++) {
      int part = Math.min(slabLength, length - i * slabLength);
      parts.add(new Slab().slice(0, part).writerIndex(part));
    }
    if (slabs == 1) {
      return parts.get(0).writerIndex(0);
    }
    CompositeByteBuf whole = Unpooled.compositeBuffer(slabs);
    whole.addComponents(true, parts);
    return whole.writerIndex(0);
  }

  @Override
  public Runnable whenAvailable(String application, int length, Runnable retry) {
    Waiter waiter = new Waiter(slabsOf(length), retry);
    synchronized (this) {
      if (used + waiter.slabs > slabCount) {
        waiters.add(waiter);
        return () -> cancel(waiter);
      }
    }
    retry.run();
    return () -> {};
  }

  private synchronized void cancel(Waiter waiter) {
    waiters.remove(waiter);
  }

  @Override
  public synchronized int usedPermille() {
    return used * 1000 / slabCount;
  }

  synchronized int usedSlabs() {
    return used;
  }

  synchronized int maxUsedSlabs() {
    return maxUsed;
  }

  synchronized int waiting() {
    return waiters.size();
  }

  private int slabsOf(int length) {
    return (length + slabLength - 1) / slabLength;
  }

  private void freeSlab() {
    List<Runnable> retries = new ArrayList<>();
    synchronized (this) {
      used--;
      int free = slabCount - used;
      while (!waiters.isEmpty() && waiters.peek().slabs <= free) {
        Waiter next = waiters.remove();
        free -= next.slabs;
        retries.add(next.retry);
      }
    }
    retries.forEach(Runnable::run);
  }

  private final class Slab extends UnpooledDirectByteBuf {
    Slab() {
      super(UnpooledByteBufAllocator.DEFAULT, slabLength, slabLength);
    }

    @Override
    protected void deallocate() {
      super.deallocate();
      freeSlab();
    }
  }
}
