package io.sluice.server.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledUnsafeDirectByteBuf;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteBuffer;

/** Slabs as Netty buffers whose last release gives the slab back. */
final class SlabBuffers {
  private static final ByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;

  private SlabBuffers() {}

  /**
   * Returns owned: a buffer over {@code memory}, wholly written.
   *
   * @param giveBack run once, at the last release
   */
  static ByteBuf wrap(ByteBuffer memory, Runnable giveBack) {
    return PlatformDependent.hasUnsafe()
        ? new UnsafeSlab(memory, giveBack)
        : new PlainSlab(memory, giveBack);
  }

  private static final class UnsafeSlab extends UnpooledUnsafeDirectByteBuf {
    private final Runnable giveBack;

    UnsafeSlab(ByteBuffer memory, Runnable giveBack) {
      super(ALLOCATOR, memory, memory.remaining());
      this.giveBack = giveBack;
    }

    @Override
    protected void deallocate() {
      // The memory belongs to the arena: the superclass only forgets it.
      super.deallocate();
      giveBack.run();
    }
  }

  private static final class PlainSlab extends UnpooledDirectByteBuf {
    private final Runnable giveBack;

    PlainSlab(ByteBuffer memory, Runnable giveBack) {
      super(ALLOCATOR, memory, memory.remaining());
      this.giveBack = giveBack;
    }

    @Override
    protected void deallocate() {
      super.deallocate();
      giveBack.run();
    }
  }
}
