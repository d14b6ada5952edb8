/*
 * The words that a line above a block may consist of, besides the path. A line with any other word is not understood,
 * so adding a word here can only make more answers acceptable; a missing one costs one more request to the model.
 * No word may turn a line into something other than the announcement of a file's complete text, in any combination.
 */

const words = (text: string): readonly string[] =>
  text
    .split(/[|\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Words of labels and announcements: "File: x", "Here is the complete code of x", "Create x with this content". */
const STATES: readonly string[] = words(`
  file | files | filename | file name | filepath | file path | path | module | component | script | class
  new | updated | modified | revised | rewritten | refactored | corrected | fixed | improved | cleaned-up | complete | completed | full | entire | whole | final | finished | created | added
  content | contents | code | source code | version | implementation | text | full code | full file | solution | result file
  of | for | the | a | an | my | your | our | both | all | two | three | four
  test: | tests: | test ( | tests ( | test file | tests file | unit tests: | unit tests ( | unit test: | types: | config: | configuration: | main file | entry point: | main:
  here is | here's | here are | here | here is the result | here's the result | here is the json | here's the json | json | here you go | here it is | here they are | below is | below are | the following is | the following are | this is the new | this is the complete | this is the full | this is the updated | this is the final | this is the code for the | this is the code for | this is the content of
  named | called | at | located at
  create | creating | write | writing | rewrite | generate | make | let's create | let us create | let's write | we create | we write
  let me create | let me write | let me rewrite | we need a new file | we need a file | in a file named | in a file called | in a new file named | in a new file called | in a file | with this | make a | and paste this in | i'll create | i will create | we'll create | i'll write | i will write | you can create | please create | i am creating | i'm creating
  i created | i've created | i have created | i wrote | i've written | i have written | i've rewritten | i have rewritten | i rewrote | i've added the file | i added the file | i've added a new file | i added a new file
  add the file | add a file | add a new file | add new file | add file | add the new file | add another file | add a second file
  with the following content | with the following contents | with the following code | with the following text | with this content | with these contents | with this code | with the content | with content | with the contents | with the following | with
  and add the following code | and add this code | and add the following content | and add the following | and put the following code in it | and paste the following code | containing | as follows | following | the following | below
  save this as | save it as | save as | save this to | save it to | save this file as | save this code as | save this code to | save the following as | save the following code as | save the following code to | save the code below as | save this in | write this to | write the following to | put this in | put this into | put it in | place this in | store this as | store this in
  replace the contents of | replace the content of | replace the entire contents of | replace the entire content of | replace the full contents of | replace everything in | replace all of | replace the whole file | replace the entire file | overwrite
  should look like this | should now look like this | should be | should contain | should now contain | should read | now looks like this | now looks as follows | looks as follows | looks like this now | now contains | becomes
  first | second | third | next | then | now | finally | lastly | and | also | so | again | once more
  sure | certainly | of course | ok | okay | absolutely | alright | great | done | understood | got it | in full | for you | you asked for | you requested | as requested

  datei | dateiname | dateipfad | pfad | neu | neue | neuer | neues | neuen | aktualisiert | aktualisierte | aktualisierten | geändert | überarbeitet | überarbeitete | vollständig | vollständige | vollständiger | vollständigen | komplett | komplette | kompletter | kompletten | ganze | inhalt | quelltext | von | für | hier ist | hier sind | hier kommt | der | die | das | den | erstelle | erstellen | lege an | anlegen | speichere als | speichern als | mit folgendem inhalt | mit diesem inhalt | zuerst | dann | nun | danach | schließlich | und | zuletzt | gerne | natürlich
  fichier | chemin | nom du fichier | chemin du fichier | nouveau | nouvelle | mis à jour | mise à jour | modifié | corrigé | corrigée | complet | complète | entier | voici | le | la | les | l'ensemble | contenu | de | du | un | une | crée | créez | créer | créons | avec le contenu suivant | avec ce contenu | d'abord | puis | ensuite | enfin | et | version complète | bien sûr
  archivo | fichero | ruta | ruta del archivo | nombre del archivo | nuevo | nueva | actualizado | actualizada | corregido | corregida | modificado | completo | completa | aquí está | aquí tienes | el | los | contenido | código | del | crea | crear | cree | con el siguiente contenido | con este contenido | primero | luego | después | finalmente | por último | y | claro | versión
  arquivo | ficheiro | caminho | nome do arquivo | novo | nova | atualizado | atualizada | corrigido | corrigida | aqui está | aqui estão | segue | o | os | conteúdo | do | da | crie | criar | com o seguinte conteúdo | com este conteúdo | primeiro | depois | por fim | e | versão
  percorso | nuovo | nuova | aggiornato | aggiornata | corretto | corretta | ecco | il | contenuto | codice | di | crea il | creare | prima | poi | infine | versione
  файл | путь | путь к файлу | имя файла | новый | новая | обновлённый | обновленный | обновлённая | исправленный | исправленная | полный | полная | полностью | вот | содержимое | код | файла | создайте | создаём | создать | создадим | со следующим содержимым | сначала | затем | теперь | наконец | и | версия | конечно
  plik | ścieżka | nowy | zaktualizowany | pełny | oto | zawartość | kod | utwórz | z następującą zawartością
  bestand | bestandsnaam | pad | nieuw | nieuwe | bijgewerkt | bijgewerkte | volledige | hier is | het | inhoud | maak | met de volgende inhoud
  dosya | dosya adı | yol | yeni | güncellenmiş | tam | içerik | kod | oluştur
  tệp | tập tin | đường dẫn | mới | đã cập nhật | đầy đủ | nội dung | mã | tạo
`);

/** Words of Chinese, Japanese and Korean, which are written without spaces between them. */
const STATES_WITHOUT_SPACES: readonly string[] = words(`
  文件名 | 文件路径 | 文件 | 路径 | 新文件 | 新建文件 | 新建 | 新增文件 | 新增 | 新的 | 新 | 创建文件 | 创建 | 编写 | 修改后的 | 修改后 | 更新后的 | 更新后 | 已更新 | 已修改 | 重写后的 | 重构后的 | 修复后的 | 修正后的 | 完整的 | 完整 | 全部 | 最终 | 代码文件 | 代码 | 内容 | 源码 | 实现 | 的 | 为 | 是 | 以下是 | 以下为 | 下面是 | 这是更新后的 | 如下所示 | 如下 | 首先 | 然后 | 接着 | 接下来 | 最后 | 其次 | 保存为 | 保存到 | 写入 | 将以下内容 | 将以下代码 | 将下面的代码 | 内容如下 | 代码如下 | 好的 | 当然 | 没问题 | 第一步 | 第二步 | 第三步 | 步骤 | 一个 | 主 | 测试文件 | 请 | 我 | 我已 | 了
  檔案名稱 | 檔案路徑 | 檔案 | 檔名 | 路徑 | 新檔案 | 新增檔案 | 建立檔案 | 建立 | 更新後的 | 修改後的 | 完整程式碼 | 程式碼 | 內容
  ファイル名 | ファイルパス | ファイル | パス | 新規ファイル | 新規作成 | 新規 | 新しい | 作成します | 作成してください | 作成 | 更新後の | 更新後 | 更新版 | 修正後の | 修正版 | 修正済み | 完全な | 全体 | 全文 | コード | 内容 | 中身 | ソース | 実装 | 以下は | 以下が | 以下の内容で | 以下の通りです | 以下のとおりです | です | を | が | は | の | まず | 次に | 続いて | 最後に | はい | もちろん | こちらが
  파일명 | 파일 이름 | 파일 경로 | 파일경로 | 파일 | 경로 | 새로운 | 새 | 전체 | 완전한 | 완성된 | 수정된 | 업데이트된 | 코드 | 내용 | 구현 | 다음은 | 아래는 | 입니다 | 의 | 은 | 는 | 을 | 를 | 생성 | 작성 | 먼저 | 그 다음 | 다음으로 | 마지막으로
`);

/** Words that announce a change of a file. The text below may be a part of it. */
const CHANGES: readonly string[] = words(`
  update | updates | update to | updates to | modify | edit | change | changes | changes to | changes in | fix | extend | adjust | refactor | in | to
  i updated | i've updated | i have updated | i modified | i've modified | i changed | i've changed
  let's update | we update | i'll update
  aktualisiere | ändere | ändern | mettez à jour | modifiez | modifier | actualiza | modifica | atualize | modifique | aggiorna | обновите | обновляем | измените
`);

const CHANGES_WITHOUT_SPACES: readonly string[] = words(
  '修改 | 更新 | 修改文件 | 更新文件 | 変更 | 修正 | 更新します | 수정',
);

/** Words that say outright that the block is the file, so that earlier sentences on the line do not matter. */
const FIRM =
  /here is|here's|here are|below is|the following is|create|write|save|new|updated|complete|full|entire|final|rewritten|replace the|hier ist|voici|aquí está|aqui está|ecco|вот|以下是|下面是|完整|创建|以下は|다음은/;

/** Labels of blocks that are no files. */
const EXAMPLES: readonly string[] = words(`
  usage | usage example | usage examples | example usage | example | examples | for example | sample usage | basic usage | quick start | how to use | how to use it | how to run | how to run it | how to test | use it | use it like this | use it as follows | you can use it like this | usage is simple | then use it like this
  output | expected output | sample output | example output | outputs | prints | this prints | it prints | expected result | the output | the output is
  run | run it | run it with | run the tests | run tests | run the test | then run | then run the tests | to run | to run it | to run the tests | run with | build and run | run this | execute | test it | try it | try it out | verify | verification | command | commands | install | installation | install dependencies | install the dependencies
  directory structure | project structure | file structure | folder structure | project layout | file tree | structure | layout
  before | previously | old | old code | original | original code | example request | example response | request | response | error | error message | stack trace | diagram | signature | api
  verwendung | beispiel | ausgabe | ausführen | installation | projektstruktur | utilisation | exemple | sortie | exécution | structure du projet | uso | ejemplo | ejemplo de uso | salida | ejecutar | instalación | exemplo | exemplo de uso | saída | executar | instalação | esempio | использование | пример | пример использования | вывод | запуск | установка
`);

const EXAMPLES_WITHOUT_SPACES: readonly string[] = words(`
  使用示例 | 使用方法 | 使用方式 | 用法示例 | 用法 | 示例 | 例子 | 输出结果 | 预期输出 | 输出 | 运行结果 | 运行测试 | 运行方式 | 运行 | 安装依赖 | 安装 | 目录结构 | 项目结构 | 文件结构 | 使い方 | 使用例 | 例 | 出力結果 | 出力 | 実行方法 | 実行結果 | 実行 | インストール | ディレクトリ構成 | 사용법 | 사용 예시 | 예시 | 출력 | 실행 | 설치
`);

/** The character that stands for the path of a line. */
export const PATH_SIGN = '\uE000';

/** Marks of lists, headings, quotes and emphasis, punctuation between words, numbers of steps, and pictures of files. */
const MARKS = String.raw`(?:step|part|schritt|étape|paso|passo|шаг|file|datei) #?\d{1,3}(?!\d)|(?:第\d+步|步骤\d*|ステップ\d*|단계\d*)|\d{1,3}(?:[.):,、/]|️⃣)|\(\d{1,5} lines?\)|[\s,:;.!()\[\]"'“”‘’„«»—–|/#>*_•+→➜▶◆■●🔹🔸▪📄📁📂📝📃📑📦📜🗂🆕✨✅\uFE0F\u200B-]`;

const escaped = (word: string): string => word.replaceAll(/[.*+?^$()|[\]\\{}]/g, String.raw`\$&`);

const longestFirst = (list: readonly string[]): string =>
  list
    .toSorted((one, other) => other.length - one.length)
    .map(escaped)
    .join('|');

const tokenOf = (spaced: readonly string[], unspaced: readonly string[]): RegExp =>
  new RegExp(`(?:${longestFirst(spaced)})(?![\\p{L}\\p{N}])|(?:${longestFirst(unspaced)})|${PATH_SIGN}|${MARKS}`, 'uy');

const STATED = tokenOf(STATES, STATES_WITHOUT_SPACES);
const CHANGED = tokenOf([...STATES, ...CHANGES], [...STATES_WITHOUT_SPACES, ...CHANGES_WITHOUT_SPACES]);
const EXAMPLE = tokenOf(EXAMPLES, EXAMPLES_WITHOUT_SPACES);

/** Returns true if a text consists of tokens only. The longest token is taken at each place, without going back. */
function consistsOf(text: string, token: RegExp): boolean {
  token.lastIndex = 0;
  while (token.lastIndex < text.length) if (!token.test(text)) return false;
  return true;
}

/** What a line says of the block below it, by its words. The path, if any, is replaced by `PATH_SIGN`. */
type Saying = 'states' | 'changes' | 'example' | null;

/** Returns what the words of a line say, or null if the line holds any word that is not understood. */
export function sayingOf(line: string): Saying {
  const text = line.toLowerCase().replaceAll('’', "'").replaceAll(/\s+/g, ' ').trim();
  if (consistsOf(text, STATED)) return 'states';
  if (text.includes(PATH_SIGN)) return consistsOf(text, CHANGED) ? 'changes' : null;
  return consistsOf(text, EXAMPLE) ? 'example' : null;
}

export const isFirm = (sentence: string): boolean => FIRM.test(sentence.toLowerCase());
