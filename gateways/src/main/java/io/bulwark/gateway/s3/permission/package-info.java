/** The decision whether a request may be done, from owner, access control list and policy. */
@NullMarked
package io.bulwark.gateway.s3.permission;

import org.jspecify.annotations.NullMarked;
