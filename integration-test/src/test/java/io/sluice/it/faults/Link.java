package io.sluice.it.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A TCP relay from another loopback address to a server of this machine, on the server's port.
 * While it is cut, it drops all bytes but keeps connections open and accepts new ones, like a
 * network that drops all packets. Mending closes open connections, because bytes were lost.
 * Thread-safe.
 */
final class Link implements AutoCloseable {
  private static final int CHUNK_BYTES = 64 << 10;
  private static final long SLOW_CHUNK_MS = 20;

  private final String address;
  private final int port;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong relayedBytes = new AtomicLong();
  private volatile boolean cut;
  private volatile boolean slow;
  private volatile boolean closed;
  private ServerSocket listener;

  /**
   * @param port port of the server and of the link
   */
  Link(String address, int port) {
    this.address = address;
    this.port = port;
  }

  void start() throws IOException {
    listener = new ServerSocket();
    listener.setReuseAddress(true);
    listener.bind(new InetSocketAddress(address, port));
    spawn(this::accept, "link-accept");
  }

  void cut() {
    cut = true;
  }

  void mend() {
    if (cut) {
      closeAll();
      cut = false;
    }
  }

  /** Whether every chunk of at most 64 KiB is delayed by 20 ms. */
  void delay(boolean wanted) {
    slow = wanted;
  }

  /** Bytes relayed in both directions. */
  long relayedBytes() {
    return relayedBytes.get();
  }

  @Override
  public void close() {
    closed = true;
    try {
      listener.close();
    } catch (IOException e) {
      throw new IllegalStateException("link not closed", e);
    }
    closeAll();
  }

  private void accept() {
    while (!closed) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket();
        open.add(client);
        open.add(server);
        // The server is unreachable: close the client's connection.
        spawn(() -> connectAndRelay(client, server), "link-connect");
      } catch (IOException e) {
        if (!closed) {
          throw new IllegalStateException("link does not accept", e);
        }
      }
    }
  }

  private void connectAndRelay(Socket client, Socket server) {
    try {
      server.connect(new InetSocketAddress("127.0.0.1", port));
    } catch (IOException e) {
      close(client);
      close(server);
      return;
    }
    spawn(() -> relay(server, client), "link-back");
    relay(client, server);
  }

  private void relay(Socket from, Socket to) {
    byte[] chunk = new byte[CHUNK_BYTES];
    boolean gap = false;
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        // The stream has a gap and stays unusable after the link is mended.
        gap |= cut;
        if (!gap) {
          if (slow) {
            TimeUnit.MILLISECONDS.sleep(SLOW_CHUNK_MS);
          }
          out.write(chunk, 0, read);
          relayedBytes.addAndGet(read);
        } else if (!cut) {
          break;
        }
      }
    } catch (IOException e) {
      // One side has closed: close the other.
    } catch (InterruptedException e) {
      throw new IllegalStateException("nothing interrupts a link", e);
    }
    if (!cut) {
      close(from);
      close(to);
    }
  }

  private void closeAll() {
    open.forEach(this::close);
  }

  private void close(Socket socket) {
    open.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      throw new IllegalStateException("socket not closed", e);
    }
  }

  private static void spawn(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
