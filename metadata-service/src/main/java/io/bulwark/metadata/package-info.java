/**
 * One replica of the metadata service (docs/protocols/metadata.md, docs/ordering). It executes what the ordering engine decides, and
 * logs it durably before it answers. After a restart it settles with its peers on the latest state that f+1 of them
 * vouch for.
 */
@NullMarked
package io.bulwark.metadata;

import org.jspecify.annotations.NullMarked;
