/** The settings of a cluster for tests: small, quick to start, and out of reach from elsewhere. */

/** Where all daemons listen. */
export const HOST = '127.0.0.1'

/** A whole ceph.conf; every path in it lies in the folder. */
export function cephConf(folder: string, fsid: string, monAddress: string): string {
  return `[global]
fsid = ${fsid}
mon_initial_members = a
mon_host = ${monAddress}
public_addr = ${HOST}
cluster_addr = ${HOST}

mon_data = ${folder}/mon
osd_data = ${folder}/osd
rgw_data = ${folder}/rgw
run_dir = ${folder}
crash_dir = ${folder}
log_file = ${folder}/$name.log
mon_cluster_log_file = ${folder}/cluster.log
admin_socket =

# Nobody else can reach the daemons, and without keys they cannot encrypt.
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
ms_mon_client_mode = crc

# One copy, on the only OSD there is.
osd_objectstore = memstore
memstore_device_bytes = ${16 * 1024 ** 3}
osd_crush_chooseleaf_type = 0
osd_pool_default_size = 1
osd_pool_default_pg_num = 4
mon_allow_pool_size_one = true

# Quick to start and quiet afterwards; a full disk must not end the monitor.
paxos_propose_interval = 0.05
mon_data_avail_crit = 0
rgw_thread_pool_size = 64
rgw_dynamic_resharding = false
rgw_enable_gc_threads = false
rgw_enable_lc_threads = false
`
}
