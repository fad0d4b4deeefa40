package io.sluice.client.file;

/** Opens run files on shared file systems; found by {@link java.util.ServiceLoader}. */
public interface RemoteRunFiles {
  /**
   * @param directory below which files may be opened
   * @return owned by the caller
   */
  RunFileOpener below(RemoteDirectory directory);
}
