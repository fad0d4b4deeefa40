/**
 * Local output: the format of a map attempt's file, and pushes of finished outputs in the
 * background, best effort, on a few threads for the whole process. What is not pushed is read from
 * the files. An engine hands over outputs and says which shuffles nobody reads any more.
 */
package io.sluice.client.local;
