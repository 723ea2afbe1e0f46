package io.bulwark.console.principal;

import java.util.List;

/**
 * The principals as a person may see them.
 *
 * @param suspensionsShown false if only administrators would see the suspensions
 */
record PrincipalList(List<PrincipalView> principals, boolean suspensionsShown) {
    public List<PrincipalView> suspended() {
        return principals.stream().filter(each -> each.suspension() != null).toList();
    }
}
