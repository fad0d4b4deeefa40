/**
 * The reduce side: from the map attempts that the engine expects to verified contents, each exactly
 * once, with a proof at the end that none is missing. A read belongs to its task thread; replies
 * arrive on transport threads and are handed over through one small lock.
 */
package io.sluice.client.read;
