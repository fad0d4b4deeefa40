package io.sluice.metrics.http;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** An HTTP peer that sends arbitrary bytes. */
final class HttpPeer implements Closeable {
  private static final int TIMEOUT_MS = 30_000;

  private final Socket socket;

  /**
   * An answer.
   *
   * @param headers headers with names in lower case
   */
  record Answer(int status, Map<String, String> headers, String body) {
    String header(String name) {
      return headers.get(name);
    }
  }

  HttpPeer(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(TIMEOUT_MS);
  }

  /** Connects from an address of 127.0.0.0/8. */
  static HttpPeer from(String address, int port) throws IOException {
    return from(address, port, 0);
  }

  /**
   * @param receiveBytes size of the socket's receive buffer; 0: system default
   */
  static HttpPeer from(String address, int port, int receiveBytes) throws IOException {
    Socket socket = new Socket();
    if (receiveBytes > 0) {
      socket.setReceiveBufferSize(receiveBytes);
    }
    socket.bind(new InetSocketAddress(address, 0));
    socket.connect(new InetSocketAddress("127.0.0.1", port), TIMEOUT_MS);
    return new HttpPeer(socket);
  }

  HttpPeer send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    return this;
  }

  HttpPeer get(String path) throws IOException {
    return send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n");
  }

  /** As {@link #send}, but ignores a connection that is closed meanwhile. */
  HttpPeer sendUntilClosed(String text) {
    try {
      return send(text);
    } catch (IOException e) {
      return this;
    }
  }

  /** Sends single bytes slowly; returns whether the peer closes the connection. */
  boolean isClosedWhileSendingSlowly(char one) throws IOException {
    socket.setSoTimeout(20);
    long until = System.nanoTime() + TIMEOUT_MS * 1_000_000L;
    while (System.nanoTime() < until) {
      try {
        send(String.valueOf(one));
        return socket.getInputStream().read() < 0;
      } catch (SocketTimeoutException stillOpen) {
        // Send another byte.
      } catch (SocketException closed) {
        return true;
      }
    }
    return false;
  }

  /** Whether the connection ends without received bytes. */
  boolean ended() throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }

  Answer answer() throws IOException {
    return answer(true);
  }

  /**
   * @param hasBody false for an answer to HEAD
   */
  Answer answer(boolean hasBody) throws IOException {
    InputStream in = socket.getInputStream();
    String status = line(in);
    Map<String, String> headers = new TreeMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      String[] parts = line.split(":", 2);
      headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1].strip());
    }
    int length =
        hasBody && headers.containsKey("content-length")
            ? Integer.parseInt(headers.get("content-length"))
            : 0;
    return new Answer(
        Integer.parseInt(status.split(" ")[1]),
        headers,
        new String(in.readNBytes(length), StandardCharsets.ISO_8859_1));
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("after \"" + line + "\"");
      }
      line.write(next);
    }
    return line.toString(StandardCharsets.ISO_8859_1).strip();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
